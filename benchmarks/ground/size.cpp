// Items 2 and 3: what it takes to get 100,000 equations ready, and how many nodes derivatives take.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <string>

#include "ground.hpp"
#include "support/engine_models.hpp"
#include "support/measure.hpp"

namespace saltus::bench {

namespace {

using namespace engine_models;

struct Cost {
  double seconds = 1e300;
  double megabytes = 1e300;
};

/// Runs this program again with `--prepare what`: the time and the peak memory of a fresh process,
/// its start included, are nobody else's.
Cost in_own_process(const char* what) {
  const auto start = std::chrono::steady_clock::now();
  const pid_t child = fork();
  if (child == 0) {
    execl("/proc/self/exe", "saltus_bench_ground", "--prepare", what, static_cast<char*>(nullptr));
    _exit(127);
  }
  int status = 0;
  rusage usage{};
  if (wait4(child, &status, 0, &usage) != child || status != 0) return {};
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  return {elapsed.count(), static_cast<double>(usage.ru_maxrss) / 1024};
}

constexpr std::uint32_t cells = 50000;

void prepare_scalar() {
  Built b;
  build(Diffusion(cells), b);
  const auto residual = compile(b.graph, outputs_in_order(b.graph, b.residual), b.segments);
  const Jacobian j = jacobian(b.graph, b.residual, b.y_columns);
  const auto values = compile(b.graph, j.entries, b.segments);
}

void prepare_family() {
  Built b;
  const std::vector<Output> outputs = build_diffusion_family(cells, b);
  const auto residual = compile(b.graph, outputs, b.segments);
  const Jacobian j = jacobian(b.graph, b.residual, b.y_columns);
  const auto values = compile(b.graph, j.entries, b.segments);
}

// ---- derivative shapes ---------------------------------------------------------------------

/// s <- s + sin(x_i) s, nested: one dense row.
NodeId dense_row(Graph& g, std::uint32_t n) {
  const Expr x = states(g, "x", n);
  Expr s = state(g, "s");
  for (std::uint32_t i = 0; i < n; ++i) s = s + sin(x[i]) * s;
  return s.id();
}

/// y_i f(z) with a deep f, for many i.
void shared_chain(Graph& g, std::uint32_t depth, std::uint32_t rows, std::vector<NodeId>& out) {
  Expr s = state(g, "z0");
  const Expr z = state(g, "z1");
  for (std::uint32_t i = 0; i < depth; ++i) s = sin(s) * z;
  const Expr y = states(g, "y", rows);
  for (std::uint32_t i = 0; i < rows; ++i) out.push_back((y[i] * s).id());
}

/// New nodes a Jacobian takes.
template <class Build>
double nodes_made(Build&& make_rows, Sweep sweep) {
  Graph g;
  const std::vector<NodeId> rows = make_rows(g);
  const std::size_t before = g.size();
  const InputRange all{InputKind::state, 0, g.count(InputKind::state), 0};
  jacobian(g, rows, std::span(&all, 1), {.sweep = sweep});
  return static_cast<double>(g.size() - before);
}

}  // namespace

void prepare(const std::string& what) { what == "family" ? prepare_family() : prepare_scalar(); }

bool show_size(int number) {
  Item item(number);
  const Cost scalar = in_own_process("scalar");
  const Cost family = in_own_process("family");
  item.at_most("M3 graph, Jacobian, programs", scalar.seconds, 3, " s");
  item.at_most("", scalar.megabytes, 400, " MB");
  item.at_most("as families", family.seconds, 0.5, " s");
  item.at_most("", family.megabytes, 80, " MB");
  return item.print();
}

bool show_derivative_shapes(int number) {
  Item item(number);
  auto dense = [](Graph& g) { return std::vector<NodeId>{dense_row(g, 2000)}; };
  auto chain = [](Graph& g) {
    std::vector<NodeId> rows;
    shared_chain(g, 500, 1000, rows);
    return rows;
  };
  auto both = [](Graph& g) {
    std::vector<NodeId> rows{dense_row(g, 2000)};
    shared_chain(g, 500, 1000, rows);
    return rows;
  };
  auto over_better = [](auto&& rows) {
    const double best =
        std::min(nodes_made(rows, Sweep::forward), nodes_made(rows, Sweep::reverse));
    return nodes_made(rows, Sweep::automatic) / best;
  };
  item.at_most("nodes over the better mode: dense row", over_better(dense), 3);
  item.at_most("shared chain", over_better(chain), 3);
  // For the mixed model neither single mode is good; the yardstick is the better one of each part.
  const double parts =
      std::min(nodes_made(dense, Sweep::forward), nodes_made(dense, Sweep::reverse)) +
      std::min(nodes_made(chain, Sweep::forward), nodes_made(chain, Sweep::reverse));
  item.at_most("both, over the sum of the better", nodes_made(both, Sweep::automatic) / parts, 3);
  return item.print();
}

}  // namespace saltus::bench
