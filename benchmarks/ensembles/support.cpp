#include <unistd.h>

#include <chrono>
#include <cstdlib>

#include <saltus/saltus.hpp>

#include "ensembles/ensembles.hpp"

namespace saltus::bench {

Folder::Folder() {
  static int number = 0;
  path_ = std::filesystem::temp_directory_path() /
          ("saltus-ensembles-" + std::to_string(::getpid()) + "-" + std::to_string(number++));
  std::filesystem::remove_all(path_);
  std::filesystem::create_directories(path_);
}
Folder::~Folder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::uint64_t n_runs_from(const char* variable, std::uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

double wall_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

SweepPlan relay_sweep(std::uint64_t n_runs) {
  Model m("relay");
  Expr omega = m.parameter("omega", 25.0), zeta = m.parameter("zeta", 0.05);
  Expr y1 = m.state("y1", 0.0), y2 = m.state("y2", 0.2), y3 = m.state("y3", 0.06);
  Expr relay = sign(y1);
  m.equation("y1", der(y1) == -(2.0 * zeta * omega + 1.0) * y1 + y2 - relay);
  m.equation("y2", der(y2) == -(2.0 * zeta * omega + omega * omega) * y1 + y3 + 2.0 * relay);
  m.equation("y3", der(y3) == -omega * omega * y1 - relay);
  Samples samples{.count = n_runs, .seed = 1, .sampler = Sampler::random, .of = {}};
  samples.of = {{"omega", DistributionKind::uniform, 20.0, 30.0},
                {"zeta", DistributionKind::uniform, 0.03, 0.07},
                {"y2", DistributionKind::normal, 0.2, 0.02}};
  Kept kept;
  kept.end = {"y1", "y2", "y3"};
  RunOptions options{.t_end = 1.2};
  options.rtol = options.atol = 1e-6;
  return {m.build(), options, Design({}, samples), kept, "relay"};
}

}  // namespace saltus::bench
