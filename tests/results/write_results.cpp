// Writes the runs of models.hpp in every format into a folder, with JSON beside them for comparison.
#include <cstdio>
#include <fstream>

#include <saltus/io.hpp>

#include "results/models.hpp"

int main(int n, char** arguments) {
  if (n != 2) return 64;
  const std::string folder = arguments[1];
  for (const saltus::Solution& solution : {saltus::test::belt_run(), saltus::test::rope_run()}) {
    if (!solution.ok()) {
      std::printf("%s\n", solution.report.message.c_str());
      return 1;
    }
    saltus::ResultFile result = saltus::result_of(solution);
    result.parameters = {{"stiffness", "N/m", "of the spring", 3.0}};
    const std::string base = folder + "/" + solution.report.model;
    for (const char* end : {".h5", ".mat", ".csv"}) saltus::save_result(result, base + end);
    std::ofstream(base + ".json") << saltus::to_json(solution);
    // Of x by k, as the solution answers when it is asked.
    if (solution.sensitivities.parameters().empty()) continue;
    std::ofstream out(base + ".derivatives.txt");
    const saltus::Trajectory& trajectory = solution.trajectory;
    for (std::uint32_t r = 0; r < trajectory.n_rows(); ++r) {
      const saltus::Segment& segment = trajectory.segments()[trajectory.segment_of_row(r)];
      const double t = trajectory.times()[r];
      const auto side = t == segment.t_end ? saltus::Side::left : saltus::Side::right;
      out << saltus::to_text(solution.sensitivity("x", "k", t, side)) << '\n';
    }
  }
  return 0;
}
