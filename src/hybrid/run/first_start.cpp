#include "hybrid/run/first_start.hpp"

#include <saltus/core/text.hpp>
#include <saltus/system/started_system.hpp>

#include "hybrid/books/opening.hpp"
#include "hybrid/core/option_report.hpp"
#include "hybrid/core/engine_settings.hpp"
#include "hybrid/mode/first_motion.hpp"
#include "hybrid/instant/first_and_last.hpp"
#include "hybrid/mode/start_policy.hpp"
#include "hybrid/stay/follower_port.hpp"

namespace saltus::detail {

namespace {

void open_recording(const Frame& frame, const ModeSet& modes) {
  const Stay& here = frame.here;
  frame.recording.open(std::make_unique<OutputWriter>(
      here->system->variable_map(), here->workspace->ability<SwitchingFunctions>(), frame.options,
      frame.has_modes()));
  frame.recording.writer().set_own_side(
      [&modes](const Workspace& workspace, double t, std::span<const double> x,
               std::span<const double> xdot, const auto& evaluate) {
        for (const auto& mode : modes.all())
          if (mode->workspace.get() == &workspace && mode->continued)
            return mode->continued->on_own_side(t, x, xdot, evaluate);
        return false;
      });
  std::vector<std::string> recorded;
  for (const VariableInfo& v : frame.recording.writer().trajectory().variables())
    recorded.push_back(v.name);
  frame.ledger.name_variables(std::move(recorded));
}

void check_signs(const ModeRun& mode, const StartValues& start) {
  const auto& non_negative = mode.engine_options.non_negative;
  for (std::uint32_t i = 0; i < non_negative.size(); ++i) {
    if (non_negative[i] && start.x[i] < 0)
      throw OptionError("non_negative",
                        "'" + mode.system->unknown_name(i) + "' starts at " + to_text(start.x[i]));
  }
}

}  // namespace

void check_and_report(Ground& ground, std::string model_name) {
  const RunOptions& options = ground.options;
  RunReport& report = ground.ledger.report();
  report.options = checked_options(options);
  if (options.t_end == options.t_begin)
    throw OptionError("t_end", "is the same as t_begin: there is nothing to run");
  if (options.t_end < options.t_begin && !ground.source->transitions().empty())
    throw OptionError("t_end", "lies before t_begin: transitions between modes cannot be undone");
  check_mode_names(*ground.source, options);
  check_sliding_rule(options);
  report.model = std::move(model_name);
  report.t_begin = report.t_reached = options.t_begin;
  report.t_requested = options.t_end;
}

Result<void> begin_first_mode(const Frame& frame, const ModeSet& modes,
                              std::optional<Restart> jump) {
  Stay& here = frame.here;
  if (auto loaded = here->load(); !loaded) return loaded;
  open_recording(frame, modes);
  auto started = apply_start_policy(here->original, *here->original_workspace, frame.options,
                                    frame.ledger.choices());
  if (!started) return started.failure();
  if (!jump) jump = std::move(started->jump);
  std::shared_ptr<const System> system = started->system;
  const StartValues start = system->start_values();
  check_signs(*here, start);
  report_missing_starts(frame.ledger, *here, start);
  if (here->kit) check_names(frame.options, here->kit->board, !frame.has_modes());
  const double t_begin = frame.options.t_begin;
  std::optional<Arrival> arrival;
  if (jump) {
    arrival = {jump->impulses, 0.0};
    for (const std::string& warning : jump->warnings) frame.ledger.warn(warning);
    system = std::make_shared<StartedSystem>(
        std::move(system), StartValues{jump->x, jump->xdot, start.x_given}, HeldSnapshot{});
  }
  if (auto begun = here->begin(t_begin, system, arrival ? &*arrival : nullptr); !begun)
    return begun;
  settle_first_motion(*here, t_begin);
  if (here->engine_asked == EngineKind::automatic && here->kit)
    check_sliding_rule_of_dae(*here->workspace, frame.options);
  frame.ledger.take_over_choices(*here, frame.has_modes());
  here.begin_at(t_begin);
  report_start(frame.ledger, *here, frame.options, !frame.has_modes(), jump, start);
  frame.follower.begins(frame.source, jump.has_value());
  return {};
}

Result<InstantResult> left_at_start(const Frame& frame) {
  const ModeRun& mode = *frame.here;
  const double t_begin = frame.options.t_begin;
  report_triggers_at_start(frame.ledger, mode.kit->board, t_begin,
                           triggers_as_written(mode, t_begin, mode.start.x, mode.start.xdot));
  InstantResult result;
  result.leaving = mode.kit->iteration.actions().holding(ActionKind::transition, mode.start.x);
  if (!result.leaving.empty()) {
    result.start.x = mode.start.x;
    result.start.xdot = mode.start.xdot;
    return result;
  }
  if (auto failed = mode.kit->iteration.actions().failed_requirement(t_begin, mode.start.x))
    return *failed;
  return result;
}

}  // namespace saltus::detail
