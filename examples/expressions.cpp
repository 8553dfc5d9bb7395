// A block on a moving belt, as expressions: what the engine knows about them and how they are run.
#include <cstdio>
#include <vector>

#include <saltus/saltus.hpp>

int main() {
  // [model]
  using namespace saltus;
  Graph g;
  const Expr x = state(g, "x"), v = state(g, "v");
  const Expr k = parameter(g, "k"), belt = parameter(g, "v_belt");
  const Expr friction = where(v > belt, 1.0, -1.0) / (1.0 + 3.0 * abs(v - belt));
  const std::vector<NodeId> residual = nodes_of(g, {der(x) - v, der(v) + k * x + friction});
  // [model]

  // [switches]
  const SwitchTable switches(g, residual);  // where and abs share one surface, hence one switch
  std::printf("%zu switch: %s\n", g.n_switches(), switches.text(0).c_str());
  // [switches]

  // [run]
  // Arguments of a program are ranges of variables: kind, first, count, derivative order.
  const std::vector<InputSegment> arguments{{{InputKind::parameter, 0, 2, 0}},
                                            {{InputKind::state, 0, 2, 0}},
                                            {{InputKind::state, 0, 2, 1}}};
  const std::vector<InputRange> columns = arguments[1];  // differentiate by x and v
  const Jacobian j = jacobian(g, residual, columns);
  Evaluator<double> values(compile(g, j.entries, arguments));
  values.input(0)[0] = 3.0;  // k
  values.input(0)[1] = 0.2;  // v_belt
  values.input(1)[0] = 0.5;  // x
  values.input(1)[1] = 1.0;  // v

  for (std::uint8_t lock : {lock_true, lock_false}) {
    values.set_lock(0, lock);  // the branch is frozen: no switching function is computed
    values.run();
    std::printf("lock %d: %d entries, d/dv of the second equation is %.4f\n", lock, j.pattern.nnz(),
                values.outputs().back());
  }
  // [run]

  // [enclosure]
  const auto program = compile(g, outputs_in_order(g, nodes_of(g, {friction})), arguments,
                               {.locking = Locking::unlocked});
  Evaluator<Interval> range(program);
  range.input(0)[1] = Interval(0.2);
  for (const Interval box : {Interval(0.9, 1.1), Interval(0.1, 1.1)}) {
    range.input(1)[1] = box;
    range.run();
    std::printf("friction over v in [%.1f, %.1f]: [%.3f, %.3f], %s\n", box.lo(), box.hi(),
                range.outputs()[0].lo(), range.outputs()[0].hi(),
                range.all_decided() ? "one branch" : "both branches possible");
  }
  // [enclosure]
  return 0;
}
