// Usage: saltus_bench_modelica [FILE]
//
// Without an argument: item 3 of the topic `cli`, what it takes to read, check and build large texts. With a file
// it only reads that one: how a fresh process is measured, whose time and memory are nobody else's.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <saltus/modelica.hpp>

#include "support/measure.hpp"

namespace {

namespace fs = std::filesystem;
using saltus::bench::Item;

/// CPU time, so that a busy machine spoils nothing, and the peak of memory.
struct Cost {
  double seconds = 1e300;
  double megabytes = 1e300;
};

Cost cost_of_reading(const fs::path& file) {
  const pid_t child = fork();
  if (child == 0) {
    execl("/proc/self/exe", "saltus_bench_modelica", file.c_str(), static_cast<char*>(nullptr));
    _exit(127);
  }
  int status = 0;
  rusage usage{};
  if (wait4(child, &status, 0, &usage) != child || status != 0) return {};
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return {seconds(usage.ru_utime) + seconds(usage.ru_stime),
          static_cast<double>(usage.ru_maxrss) / 1024};
}

/// Reads and builds: 0 if there is a model with as many equations as unknowns.
int read_one(const char* file) {
  std::ifstream in(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  const saltus::ReadModel read = saltus::read_modelica(text, file);
  if (!read.ok()) {
    std::fputs(saltus::to_text(read.diagnostics).c_str(), stderr);
    return 1;
  }
  return read.model->build()->n_unknowns() > 0 ? 0 : 1;
}

/// A chain of reservoirs, each with a level, a flow that depends on the sign of a difference, a loss and a time when
/// it is emptied: n equations in all, no two of them with the same names.
std::string scalar_text(int n) {
  std::string declarations = "model Chain\n  parameter Real k = 0.3, c = 1e-2;\n", equations;
  const int cells = n / 4;
  for (int i = 0; i < cells; ++i) {
    const std::string here = std::to_string(i), next = std::to_string((i + 1) % cells);
    declarations += "  Real level_" + here + "(start = 1 + 0.5 * sin(" + here +
                    "), unit = \"m\");\n" + "  Real flow_" + here + ", loss_" + here +
                    "(nominal = 0.1);\n" + "  discrete Real opened_" + here + "(start = 0);\n";
    equations += "  der(level_" + here + ") = flow_" + here + " - k * loss_" + here +
                 " + c * time;\n" + "  flow_" + here + " = if level_" + here + " > level_" + next +
                 " then -sqrt(abs(level_" + here + " - level_" + next + ") + c) else c * opened_" +
                 here + ";\n" + "  loss_" + here + " = exp(-level_" + here + " ^ 2) * cos(flow_" +
                 here + ") + (level_" + next + " - 1.5) / (1 + level_" + here + " ^ 2);\n" +
                 "  when level_" + here + " > 2 then\n    opened_" + here + " = pre(opened_" +
                 here + ") + 1;\n  end when;\n";
  }
  return declarations + "equation\n" + equations + "end Chain;\n";
}

std::string family_text(int n) {
  return "model Rod\n  parameter Integer n = " + std::to_string(n) +
         ";\n  parameter Real d = 0.1;\n  Real u[n](each start = 1);\nequation\n"
         "  der(u[1]) = d * (u[2] - u[1]) - u[1] ^ 3;\n"
         "  for i in 2:n - 1 loop\n"
         "    der(u[i]) = d * (u[i - 1] - 2 * u[i] + u[i + 1]) - u[i] ^ 3 + sin(time + i);\n"
         "  end for;\n  der(u[n]) = d * (u[n - 1] - u[n]) - u[n] ^ 3;\nend Rod;\n";
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2) return read_one(argv[1]);
  std::string pattern = (fs::temp_directory_path() / "saltus-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) return 1;
  const fs::path folder = pattern;
  std::ofstream(folder / "scalar.mo") << scalar_text(20000);
  std::ofstream(folder / "family.mo") << family_text(100000);
  const Cost scalar = cost_of_reading(folder / "scalar.mo");
  const Cost family = cost_of_reading(folder / "family.mo");
  fs::remove_all(folder);
  Item item(3);
  item.at_most("20,000 scalar equations read, checked and built:", scalar.seconds, 3.0, "s");
  item.at_most("their memory", scalar.megabytes, 300.0, "MB");
  item.at_most("a family of 100,000", family.seconds, 1.5, "s");
  return item.print() ? 0 : 1;
}
