// Writes reports into a folder: a body on a belt, a relay, a run with many points.
#include <cmath>
#include <cstdio>
#include <fstream>

#include <saltus/io.hpp>

#include "results/models.hpp"

namespace {

using namespace saltus;

/// A motor that a relay drives back and forth, with a name that tries to be HTML.
Solution relay_run() {
  Model m("relay </script><b>");
  Expr y = m.state("y", 0.0, {.unit = "m"}), v = m.state("v", 1.0, {.unit = "m/s"});
  m.equation(der(y) == v);
  m.equation(der(v) == -0.4 * v - sign(y + 0.02 * v));
  RunOptions options{.t_end = 8.0};
  options.output.switching = {"all"};
  return simulate(m, options);
}

ResultFile many_points(std::size_t n) {
  ResultFile result;
  result.model = "many points";
  result.table.columns = {{"a", "V"}, {"b", "A"}};
  for (std::size_t i = 0; i < n; ++i) {
    const double t = 1e-3 * static_cast<double>(i);
    result.table.times.push_back(t);
    result.table.columns[0].values.push_back(std::sin(0.01 * t) + 0.1 * std::sin(37.0 * t));
    result.table.columns[1].values.push_back(std::cos(0.013 * t) * std::exp(-1e-3 * t));
  }
  result.table.segments = {{"", {}, 0.0, result.table.times.back(), 0, n}};
  return result;
}

}  // namespace

int main(int n, char** arguments) {
  if (n != 2) return 64;
  const std::string folder = arguments[1];
  RunOptions options;
  options.output.switching = {"all"};
  const Solution belt = saltus::test::belt_run(options), relay = relay_run();
  for (const Solution& solution : {belt, relay}) {
    const std::string file = folder + "/" + solution.report.model.substr(0, 5);
    ResultFile result = result_of(solution, 500);
    result.analysis_text = "<b>not bold</b>";
    save_report(result, file + ".html");
    std::ofstream(file + ".json") << to_json(solution);
  }
  save_report(result_of(saltus::test::rope_run(), 500), folder + "/rope.html");
  save_report(many_points(1000000), folder + "/many.html");
  return 0;
}
