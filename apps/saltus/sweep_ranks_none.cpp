#include "sweep_ranks.hpp"

namespace saltus::app {

int rank_of_this_process() { return 0; }
bool as_the_first_says(bool yes) { return yes; }

std::optional<SweepReport> run_share(const SweepPlan& sweep, const std::filesystem::path& folder,
                                     const SweepOptions& options) {
  return run_sweep(sweep, folder, options);
}

}  // namespace saltus::app
