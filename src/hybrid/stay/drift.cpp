#include "hybrid/stay/drift.hpp"

#include <algorithm>
#include <cmath>

#include <saltus/core/text.hpp>
#include <saltus/system/drift.hpp>

namespace saltus::detail {

Result<std::optional<EventPoint>> DriftKeeper::put_back() {
  const std::optional<EventPoint> nothing;
  ModeRun& mode = here_->on_surfaces ? *here_->on_surfaces->base : *here_;
  auto* kept = here_->watches_events() ? mode.workspace->ability<DriftCorrection>() : nullptr;
  if (kept == nullptr) return nothing;
  if (!here_.is_in(mode)) set_held_values(*mode.workspace, held_values_of(*here_->workspace));
  const double t = here_.t();
  const std::size_t n = mode.system->size();
  std::vector<double> tolerance(n);
  for (std::size_t i = 0; i < n; ++i)
    tolerance[i] =
        here_->engine_options.rtol * std::abs(here_.x()[i]) + here_->engine_options.atol[i];
  const auto drift_at = [&](std::span<const double> at) {
    return kept->drift(t, at.first(n), here_.xdot().first(n), tolerance);
  };
  const double drift = drift_at(here_.x());
  constexpr double few_tolerances = 5.0;
  if (drift <= few_tolerances) return nothing;
  EventPoint point = here_.point();
  if (!kept->put_back(t, std::span(point.x).first(n)) || !(drift_at(point.x) < drift / 2)) {
    ledger_.warn_once("drift", "from t = " + to_text(t) +
                                   " on, closed gaps or joints are off by more than 5 tolerances, "
                                   "and positions that would close them were not found");
    return nothing;
  }
  auto found = here_->find_start_on_side(
      t, {point.x, point.xdot, std::vector<std::uint8_t>(point.x.size(), 0)});
  if (!found) return found.failure();
  point.x = std::move(found->x);
  point.xdot = std::move(found->xdot);
  ++n_put_back_;
  largest_ = std::max(largest_, drift);
  return std::optional<EventPoint>(std::move(point));
}

void DriftKeeper::report() const {
  if (n_put_back_ == 0) return;
  ledger_.note({"drift of closed gaps and joints", "as integrated",
                "put back " + to_text(static_cast<std::int64_t>(n_put_back_)) +
                    (n_put_back_ == 1 ? " time" : " times"),
                "off by at most " + to_text(std::ceil(10 * largest_) / 10) + " tolerances"});
}

}  // namespace saltus::detail
