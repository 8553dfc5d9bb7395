// The books of a run: what it says, decides, counts and logs. Nothing here looks at the solution.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <vector>

#include <saltus/core/observer.hpp>
#include <saltus/hybrid/options.hpp>
#include <saltus/trajectory/report.hpp>

#include "hybrid/switch/event_journal.hpp"
#include "hybrid/mode/mode_search.hpp"

namespace saltus::detail {

class Ledger {
 public:
  /// Both outlive it.
  Ledger(const RunOptions& options, Observer& observer);

  // ---- said ----------------------------------------------------------------------------------------
  void warn(const std::string& text);
  /// Only the first time for a subject. True if it was.
  bool warn_once(const std::string& subject, const std::string& text);
  /// For a text that takes time to write.
  bool has_warned_of(const std::string& subject) const { return said_once_.contains(subject); }
  void inform(std::string_view topic, const std::string& text);
  void note(DecisionRecord choice) { report_.choices.push_back(std::move(choice)); }
  std::vector<DecisionRecord>& choices() { return report_.choices; }
  /// What a mode has decided and warned of since it was asked last. `several`: the model has more modes than this.
  void take_over_choices(ModeRun& mode, bool several);
  bool has_room_for_marks() const { return report_.marginal.size() < RunReport::most_marginal; }
  void mark(MarginalMark mark);

  // ---- happened ------------------------------------------------------------------------------------
  void name_variables(std::vector<std::string> names) { log_.set_variables(std::move(names)); }
  void log(JournalEntry entry);
  const EventCounts& counts() const { return log_.counts(); }
  const std::string& last_event() const { return last_event_; }
  EventLog take_log() { return std::move(log_); }

  // ---- worked --------------------------------------------------------------------------------------
  void count_step() { ++n_steps_; }
  std::uint64_t n_steps() const { return n_steps_; }
  EventWork& event_work() { return event_work_; }
  /// The engine of a mode leaves, and takes its counts with it.
  void keep_engine_work(const ModeRun& mode);
  /// With what was continued beyond surfaces.
  void keep_work(const ModeRun& mode);
  void keep_switches(const ModeRun& mode);
  WorkCounts work_of(const ModeSet& modes) const;
  /// With what engines and searches at work have counted so far.
  std::vector<SwitchWork> switches_of(const ModeSet& modes) const;
  bool is_sampled(const ModeSet& modes) const;

  RunReport& report() { return report_; }
  /// All that is known of the modes so far. The run has been in `here` for that long since it came there.
  void bring_up_to_date(const ModeSet& modes, const ModeRun& here, double entered_for,
                        bool several);

 private:
  const RunOptions& options_;
  Observer& observer_;
  RunReport report_;
  std::set<std::string> said_once_;
  EventLog log_;
  std::string last_event_;  // its name
  std::uint64_t n_steps_ = 0;
  EventWork event_work_;
  std::vector<ModeWork> past_work_;  // of engines that have left
  std::vector<SwitchWork> past_switches_;
};

}  // namespace saltus::detail
