// How a run begins.
#include <saltus/core/text.hpp>

#include "hybrid/mode/first_mode.hpp"
#include "hybrid/run/controller.hpp"
#include "hybrid/run/first_start.hpp"

namespace saltus {

using detail::Verdict;

Run::Controller::Controller(std::string model_name, std::shared_ptr<ConfigurationSource> source,
                            RunOptions options, Observer& observer, RunFollower* follower)
    : ground_(std::move(source), std::move(options), observer, follower),
      here_(ground_.here),
      step_(ground_),
      at_(ground_, step_),
      instants_(ground_, at_),
      end_(ground_, step_),
      steps_(ground_, step_, at_, instants_, end_),
      inputs_(*ground_.source) {
  detail::check_and_report(ground_, std::move(model_name));
  history_.model = ground_.ledger.report().model;
  for (const OptionPair& option : ground_.ledger.report().options)
    if (option.changed) history_.options.push_back(option);
  here_.begin_at(ground_.options.t_begin);
  const auto first = detail::find_first_mode(*ground_.source, ground_.options);
  here_.enter(ground_.modes.at(first ? first->mode : ground_.source->initial().mode));
  if (!first) {
    end_.reach({Outcome::not_started, first.failure().message, first.failure().code});
    return;
  }
  if (!first->reason.empty())
    ground_.ledger.note({"first mode", "automatic", here_->name, first->reason});
  for (const std::string& warning : first->warnings) ground_.ledger.warn(warning);
  if (auto begun = begin(first->jump); !begun) {
    here_.forget_motion();
    here_->engine.reset();
    end_.reach({Outcome::not_started, begun.failure().message, begun.failure().code});
  }
}

Result<void> Run::Controller::begin(std::optional<Restart> jump) {
  if (auto begun = detail::begin_first_mode(ground_.frame, ground_.modes, std::move(jump)); !begun)
    return begun;
  if (!here_->watches_events()) return begin_motion();
  auto left = detail::left_at_start(ground_.frame);
  if (!left) return left.failure();
  if (left->leaving.empty()) return begin_motion();
  detail::EventPoint point = here_.point();
  if (auto noted = at_.left.note(point); !noted) return noted;
  // Clauses of the mode that follows begin with what holds at the start, word for word.
  (void)here_->kit->board.decide(point.t, point.x, point.xdot);
  return pass_at_start(at_.transitions.leave({std::move(point), {}, std::move(*left), true}));
}

Result<void> Run::Controller::begin_motion() {
  const double t_begin = ground_.options.t_begin;
  auto slides = step_.sliders.slide_from_start(t_begin);
  if (!slides) return slides.failure();
  if (*slides)
    ground_.ledger.note({"start on a surface", "", "sliding on " + join(here_->visit.sliding, ", "),
                         "both sides lead to it at t = " + to_text(t_begin)});
  step_.motion.begin_stay(t_begin);
  // What is decided before any time has passed comes before the first row.
  if (!here_->on_surfaces) {
    if (auto acted = act_at_start(); !acted || ended()) return acted;
  }
  if (!here_.in_motion()) {
    StartHint hint;
    hint.step = ground_.options.initial_step;
    if (auto begun = step_.motion.set_in_motion(t_begin, hint); !begun) return begun;
    if (here_->on_surfaces) {
      if (auto acted = act_at_start(); !acted || ended()) return acted;
    }
  }
  if (instants_.question()) return {};
  auto departures = at_.first_and_last.first_departures();
  if (!departures) return {};
  return pass_at_start(std::move(*departures));
}

/// Actions that are carried out before any time has passed.
Result<void> Run::Controller::act_at_start() {
  for (std::uint32_t action = 0; !ended();) {
    auto request = at_.first_and_last.next_at_start(action);
    if (!request) break;
    if (auto passed = pass_at_start(std::move(*request)); !passed) return passed;
  }
  return {};
}

Result<void> Run::Controller::pass_at_start(Verdict verdict) {
  const auto passed = instants_.pass(std::move(verdict));
  if (!passed) return passed.failure();
  steps_.settle(passed);
  return {};
}

}  // namespace saltus
