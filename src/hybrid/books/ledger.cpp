#include "hybrid/books/ledger.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_map>

namespace saltus::detail {

namespace {

void add_continued(const ModeRun& mode, EventWork& to) {
  if (!mode.continued) return;
  to.n_continued += mode.continued->n_continued();
  to.n_evaluations_one_sided += mode.continued->n_extra_evaluations();
}

/// What the engine of a mode has done, to the entry of that mode and engine.
void add_work(const ModeRun& mode, std::vector<ModeWork>& to) {
  if (!mode.engine) return;
  std::string solver;
  if (const auto used = mode.engine->linear_solver()) {
    for (const auto& choice : option_choices(LinearSolverKind{})) {
      if (choice.value == *used) solver = choice.name;
    }
  }
  const std::string engine(saltus::name(mode.engine->kind()));
  const WorkCounts& work = mode.engine->work();
  auto* sliding = mode.workspace->ability<Sliding>();
  const std::uint64_t n_side_evaluations =
      sliding != nullptr ? sliding->n_side_evaluations()
      : mode.continued   ? work.n_evaluations + mode.continued->n_extra_evaluations()
                         : work.n_evaluations;
  const auto it = std::find_if(to.begin(), to.end(), [&](const ModeWork& w) {
    return w.mode == mode.name && w.sliding == mode.visit.sliding && w.engine == engine;
  });
  if (it != to.end()) {
    it->work += work;
    it->n_side_evaluations += n_side_evaluations;
  } else {
    to.push_back({mode.name, engine, solver, mode.system->size(), work, n_side_evaluations,
                  mode.visit.sliding});
  }
}

/// Relations of the same name in several modes are one entry.
void add_switches(const ModeRun& mode, RangePolicy range, std::vector<SwitchWork>& to) {
  const auto counts = mode.kit->search.counts();
  // With room for all of them no name moves while others refer to it.
  to.reserve(to.size() + mode.kit->board.count());
  std::unordered_map<std::string_view, std::size_t> entries;
  for (std::size_t k = 0; k < to.size(); ++k) entries.emplace(to[k].name, k);
  for (std::uint32_t w = 0; w < mode.kit->board.count(); ++w) {
    const SwitchInfo& info = mode.kit->board.info(w);
    if (is_range(info.kind) && range == RangePolicy::ignore) continue;
    if (info.kind == SwitchKind::hold) continue;
    const auto [known, is_new] = entries.emplace(info.name, to.size());
    if (is_new) {
      to.push_back({});
      to.back().name = info.name;
    }
    SwitchWork* entry = &to[known->second];
    const DetectionCounts& c = counts[w];
    entry->n_steps += c.n_steps;
    entry->n_proven += c.n_proven;
    entry->n_heuristic += c.n_heuristic;
    // A step on which an excursion was too small to be told from none is not proven.
    const std::uint64_t n_pardoned = std::min(mode.n_pardoned[w], c.n_proven);
    entry->n_proven -= n_pardoned;
    entry->n_marginal += c.n_marginal + n_pardoned;
    entry->n_evaluations += c.n_evaluations;
    entry->n_events += mode.n_crossings[w];
    entry->n_flips += mode.n_flips[w];
  }
}

}  // namespace

Ledger::Ledger(const RunOptions& options, Observer& observer)
    : options_(options), observer_(observer) {}

void Ledger::warn(const std::string& text) {
  report_.warnings.push_back(text);
  observer_.message(Severity::warning, "run", text);
}

bool Ledger::warn_once(const std::string& subject, const std::string& text) {
  if (!said_once_.insert(subject).second) return false;
  warn(text);
  return true;
}

void Ledger::inform(std::string_view topic, const std::string& text) {
  observer_.message(Severity::info, topic, text);
}

void Ledger::take_over_choices(ModeRun& mode, bool several) {
  for (DecisionRecord& choice : mode.choices) {
    if (several) choice.reason += (choice.reason.empty() ? "mode '" : "; mode '") + mode.name + "'";
    report_.choices.push_back(std::move(choice));
  }
  mode.choices.clear();
  for (const std::string& warning : mode.warnings)
    warn(several ? "mode '" + mode.name + "': " + warning : warning);
  mode.warnings.clear();
}

void Ledger::mark(MarginalMark mark) {
  if (has_room_for_marks()) report_.marginal.push_back(std::move(mark));
}

void Ledger::log(JournalEntry entry) {
  if (!entry.events.empty()) last_event_ = entry.events.front().name;
  log_.add(std::move(entry.instant), std::move(entry.events), options_.events.keep);
}

void Ledger::keep_engine_work(const ModeRun& mode) { add_work(mode, past_work_); }

void Ledger::keep_work(const ModeRun& mode) {
  keep_engine_work(mode);
  add_continued(mode, event_work_);
  if (mode.continued) mode.continued->forget_counts();
}

void Ledger::keep_switches(const ModeRun& mode) {
  add_switches(mode, options_.events.range, past_switches_);
}

WorkCounts Ledger::work_of(const ModeSet& modes) const {
  WorkCounts work;
  for (const ModeWork& past : past_work_) work += past.work;
  for (const auto& mode : modes.all()) {
    if (mode->engine) work += mode->engine->work();
  }
  return work;
}

std::vector<SwitchWork> Ledger::switches_of(const ModeSet& modes) const {
  std::vector<SwitchWork> switches = past_switches_;
  for (const auto& mode : modes.all())
    if (mode->kit) add_switches(*mode, options_.events.range, switches);
  return switches;
}

/// Names of many relations are not copied for nothing.
bool Ledger::is_sampled(const ModeSet& modes) const {
  const auto is_sampled = [](const auto& counts) { return counts.n_heuristic > 0; };
  return std::ranges::any_of(past_switches_, is_sampled) ||
         std::ranges::any_of(modes.all(), [&](const auto& mode) {
           return mode->kit && std::ranges::any_of(mode->kit->search.counts(), is_sampled);
         });
}

void Ledger::bring_up_to_date(const ModeSet& modes, const ModeRun& here, double entered_for,
                              bool several) {
  report_.events = event_work_;
  report_.events.counts = log_.counts();
  report_.events.off = options_.events.handling == EventHandling::off;
  report_.switches = past_switches_;
  for (const auto& mode : modes.all()) {
    add_continued(*mode, report_.events);
    if (mode->kit) add_switches(*mode, options_.events.range, report_.switches);
  }
  if (report_.switches.empty()) report_.events.off = false;
  report_.work = past_work_;
  for (const auto& mode : modes.all()) add_work(*mode, report_.work);
  report_.modes.clear();
  if (!several && modes.all().size() == 1) return;
  for (const auto& mode : modes.all()) {
    report_.modes.push_back(mode->visit);
    if (mode.get() == &here) report_.modes.back().duration += entered_for;
  }
}

}  // namespace saltus::detail
