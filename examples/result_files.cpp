// A result goes into files and comes back from them, without the model.
#include <cstdio>
#include <filesystem>

#include <saltus/saltus.hpp>

int main() {
  using namespace saltus;
  const auto folder = std::filesystem::temp_directory_path() / "saltus_example_result_files";
  std::filesystem::create_directories(folder);
  Model m("ball");
  Expr h = m.state("h", 1.0, {.unit = "m"}), v = m.state("v", 0.0, {.unit = "m/s"});
  m.equation(der(h) == v);
  m.equation(der(v) == Expr(-9.81));
  m.when("bounce", h < 0.0, {{v, -0.8 * pre(v)}});
  const Solution solution = simulate(m, {.t_end = 1.0});

  // [save]
  const std::string path = (folder / "ball.h5").string();
  save_result(result_of(solution), path);  // also .mat and .csv
  const ResultFile result = load_result(path);
  for (const ResultInstant& instant : result.instants)
    std::printf("%.4f s: v %.4f -> %.4f m/s\n", instant.t, instant.x_minus[1], instant.x_plus[1]);
  // [save]
  std::filesystem::remove_all(folder);
  return solution.ok() ? 0 : 1;
}
