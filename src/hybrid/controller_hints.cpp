// What a model does that is seldom meant, or that a run could not look at closely: warnings.
#include <algorithm>
#include <cmath>

#include <saltus/core/text.hpp>

#include "hybrid/controller.hpp"

namespace saltus {

/// Where the tolerances do not tell what comes next.
void Run::Controller::tell_of_order(const detail::OrderWatch::Found& order,
                                    const detail::InstantResult& result,
                                    std::span<detail::Crossing> crossings) {
  if (result.fired.empty() && result.leaving.empty()) return;
  for (const std::string& warning : order.warnings) ledger_.warn(warning);
  for (detail::Crossing& c : crossings)
    if (order.is_open) c.guarantee = Guarantee::marginal;
}

/// A clause of the first or the last instant, in a mode in which it cannot be carried out.
void Run::Controller::warn_of_left_out(double t_here, std::uint32_t action) {
  const ActionInfo& info = here_->kit->board.actions()->info(action);
  ledger_.warn("at t = " + to_text(t_here) + " when-clause " + quote(info.name) +
               " was not carried out in mode " + quote(here_->name) + ": " + info.lacks);
}

/// What equations between both limits find out about a mode has no effect if that mode lasts no time.
void Run::Controller::warn_of_dropped_equations(double t_here, const detail::ModeChange& change) {
  for (auto d = change.dropped.rbegin(); d != change.dropped.rend(); ++d) {
    ledger_.warn_once(
        "equations of " + d->transition + " into " + d->mode,
        "at t = " + to_text(t_here) + " transition " + quote(d->transition) + " led into mode " +
            quote(d->mode) + ", which was left at once: " +
            (d->equations.size() == 1 ? "its equation " : "its equations ") +
            join(d->equations, ", ") + " had no effect, and mode " + quote(change.to->name) +
            " starts from the values before; to keep their effect, write them as a map");
  }
}

}  // namespace saltus
