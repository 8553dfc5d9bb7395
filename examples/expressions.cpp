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
  const Expr friction = sign(v - belt) / (1.0 + 3.0 * abs(v - belt));
  const std::vector<NodeId> residual{(der(x) - v).id(), (der(v) + k * x + friction).id()};
  // [model]

  // [switches]
  const SwitchTable switches(g, residual);  // sign and abs share the relation v > v_belt
  std::printf("%zu switch: %s\n", g.n_switches(), switches.text(0).c_str());
  // [switches]

  // [run]
  // Arguments of a program: parameters, states, their derivatives.
  const std::vector<InputSegment> arguments{{{InputKind::parameter, 0, 2, 0}},
                                            {{InputKind::state, 0, 2, 0}},
                                            {{InputKind::state, 0, 2, 1}}};
  const Jacobian jacobian_of_x =
      jacobian(g, residual, std::vector<InputRange>{{InputKind::state, 0, 2, 0}});
  Evaluator<double> jacobian_values(compile(g, jacobian_of_x.entries, arguments));
  jacobian_values.input(0)[0] = 3.0;  // k
  jacobian_values.input(0)[1] = 0.2;  // v_belt
  jacobian_values.input(1)[0] = 0.5;  // x
  jacobian_values.input(1)[1] = 1.0;  // v

  for (std::uint8_t lock : {lock_true, lock_false}) {
    jacobian_values.set_lock(0, lock);  // the branch is frozen: no switching function is computed
    jacobian_values.run();
    std::printf("lock %d: %d entries, d/dv of the second equation is %.6f\n", lock,
                jacobian_of_x.pattern.nnz(), jacobian_values.outputs().back());
  }
  // [run]

  // [enclosure]
  // The same expression over a box: an unlocked run decides each relation, or says it cannot.
  Evaluator<Interval> range(compile(g, outputs_in_order(g, std::vector{friction.id()}), arguments,
                                    {.locking = Locking::unlocked}));
  range.input(0)[1] = Interval(0.2);
  range.input(1)[1] = Interval(0.9, 1.1);
  range.run();
  std::printf("friction over v in [0.9, 1.1]: [%.4f, %.4f], relation %s\n", range.outputs()[0].lo(),
              range.outputs()[0].hi(), range.locks()[0] == lock_true ? "true" : "not decided");
  // [enclosure]
  return 0;
}
