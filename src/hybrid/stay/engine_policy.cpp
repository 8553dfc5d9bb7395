#include "hybrid/stay/engine_policy.hpp"

#include <cmath>

#include <saltus/core/text.hpp>
#include <saltus/integrate/choose.hpp>

#include "hybrid/core/engine_settings.hpp"

namespace saltus::detail {

EngineKind engine_kind_of(const ModeRun& mode, const EventPoint& at, const RunOptions& options) {
  if (mode.engine) return mode.engine->kind();
  if (mode.engine_asked != EngineKind::automatic) return mode.engine_asked;
  return choose_engine(*mode.system, *mode.workspace, {at.t, at.x, at.xdot}, options.t_end,
                       mode.engine_options)
      .kind;
}

void make_engine_of(const Frame& frame, double t) {
  const Stay& here = frame.here;
  EngineKind kind = here->engine_asked;
  if (kind == EngineKind::automatic) {
    EngineChoice choice =
        choose_engine(*here->system, *here->workspace, {t, here->start.x, here->start.xdot},
                      frame.options.t_end, here->engine_options);
    kind = choice.kind;
    if (!offers_sliding_rule(kind, frame.options) &&
        here->workspace->ability<ExplicitForm>() != nullptr) {
      choice.reason = "events.sliding_rule = moments needs it; otherwise " +
                      std::string(name(kind)) + ": " + choice.reason;
      kind = EngineKind::dopri5;
    }
    frame.ledger.inform("engine", "engine " + std::string(name(kind)) + ": " + choice.reason);
    const std::string where = frame.has_modes() ? "; mode '" + here->name + "'" : "";
    frame.ledger.note({"engine", "automatic", std::string(name(kind)), choice.reason + where});
  }
  here->engine = make_engine(kind, *here->system, here->field(), here->engine_options);
}

bool replace_stiff_engine(const Frame& frame) {
  const Stay& here = frame.here;
  if (here->engine_asked != EngineKind::automatic ||
      !offers_sliding_rule(EngineKind::radau, frame.options)) {
    if (frame.ledger.has_warned_of("stiffness")) return false;
    frame.ledger.warn_once(
        "stiffness",
        "from t = " + to_text(here.t()) + " on, steps of " +
            std::string(name(here->engine->kind())) +
            " are limited by stability: the model is stiff there, radau or ida will be faster");
    return false;
  }
  frame.ledger.keep_work(*here);
  here->start.x.assign(here.x().begin(), here.x().end());
  here->start.xdot.assign(here.xdot().begin(), here.xdot().end());
  const double t_now = here.t();
  const EngineKind before = here->engine->kind();
  frame.recording.keep_last_step(*here->engine, t_now);
  const EngineChoice choice = choose_stiff_engine(*here->system, here->engine_options);
  here->engine = make_engine(choice.kind, *here->system, here->field(), here->engine_options);
  frame.ledger.note({"engine", std::string(name(before)), std::string(name(choice.kind)),
                     choice.reason + " from t = " + to_text(t_now) + " on"});
  return true;
}

void suit_engine_to_stretches(const Frame& frame, std::uint64_t n_steps) {
  const Stay& here = frame.here;
  // Factors of Radau's matrices are too large for large models.
  constexpr std::uint32_t large = 2000;
  if (here->engine_asked != EngineKind::automatic || here->system->size() > large) return;
  const auto better = here->stretches.ended(here->engine->kind(), n_steps);
  if (!better) return;
  frame.ledger.keep_work(*here);
  frame.ledger.note({"engine", std::string(name(here->engine->kind())), std::string(name(*better)),
                     "distance between events, from t = " + to_text(here.t()) + " on"});
  here->engine = make_engine(*better, *here->system, here->field(), here->engine_options);
}

}  // namespace saltus::detail
