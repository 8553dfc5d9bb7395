#include "hybrid/run/controller.hpp"

#include <cmath>

#include <saltus/core/error.hpp>
#include <saltus/core/text.hpp>

namespace saltus {

using detail::Ending;
using detail::Made;

// ---- one call of the caller ----------------------------------------------------------------------------

bool Run::Controller::advance() {
  if (steps_.is_over()) return false;
  history_.add_advance();
  bool is_made = false;
  guarded([&] { is_made = make_progress(); });
  return is_made;
}

/// Modes are made when they are first entered. What the options ask for and a mode cannot do ends the run: what was computed
/// so far is not lost.
template <class Call>
void Run::Controller::guarded(const Call& call) {
  try {
    call();
  } catch (const OptionError& error) {
    end_with_mistake(error);
  } catch (const ModelError& error) {
    end_with_mistake(error);
  }
}

void Run::Controller::end_with_mistake(const Error& error) {
  steps_.forget();
  Ending ending{Outcome::failed, "at t = " + to_text(here_.t()) + ": " + error.what()};
  ending.failure = FailureCode::not_certified;
  end_.reach(ending);
}

bool Run::Controller::make_progress() {
  if (!change_inputs()) return !ended();
  if (!steps_.is_open()) {
    const Made made = steps_.make();
    if (made != Made::step) return made == Made::instant;
  }
  return steps_.finish(std::nullopt) != Made::none;
}

bool Run::Controller::advance_to(double t) {
  if (!std::isfinite(t)) throw Error("a run cannot go to t = " + to_text(t));
  const bool forward = here_.forward();
  const auto is_reached = [&] { return forward ? looks_at().t >= t : looks_at().t <= t; };
  if (is_reached() && looks_at().t != t)
    throw Error("a run cannot go back from t = " + to_text(looks_at().t) + " to t = " + to_text(t));
  history_.add_advance_to(t);
  guarded([&] {
    while (!steps_.is_over() && !is_reached()) go_towards(t);
  });
  return is_reached();
}

/// Makes a step, or looks into an open one.
void Run::Controller::go_towards(double t) {
  if (!change_inputs()) return;
  if (!steps_.is_open() && steps_.make() != Made::step) return;
  if (steps_.finish(t) == Made::step) steps_.look(t);
}

bool Run::Controller::change_inputs() {
  auto changes = inputs_.take();
  return changes.empty() || steps_.change_inputs(std::move(changes));
}

void Run::Controller::set_input(const std::string& name, std::span<const double> values) {
  if (ended()) throw Error("the run has ended: its inputs cannot be set any more");
  inputs_.set(name, values, looks_at().t);
  history_.calls.push_back({.kind = detail::RunCall::Kind::set_input,
                            .input = name,
                            .values = {values.begin(), values.end()}});
}

void Run::Controller::choose(std::size_t candidate) {
  const auto answered = instants_.answer(candidate);
  history_.calls.push_back({.kind = detail::RunCall::Kind::choose, .number = candidate});
  guarded([&] { steps_.settle(instants_.pass(answered)); });
}

std::span<const SurfaceCandidateRecord> Run::Controller::decision() const {
  if (!instants_.question()) return {};
  return instants_.question()->candidates;
}

Run::Controller::Look Run::Controller::looks_at() const {
  if (const auto* inside = steps_.looked_at()) return {inside->t, inside->x, inside->xdot};
  return {here_.t(), here_.x(), here_.xdot()};
}

}  // namespace saltus
