#include <saltus/ensemble/sweep_rows.hpp>

#include <algorithm>
#include <optional>

namespace saltus {

namespace {

/// Of a segment. With a thousand segments of a hundred million runs a stretch has still few of them.
constexpr std::uint64_t stretch_bytes = 1 << 16;

}  // namespace

SweepRows::SweepRows(const SweepPlan& sweep, const std::filesystem::path& folder)
    : n_columns_(sweep.kept.columns().size()),
      fingerprint_(sweep.fingerprint()),
      segments_(journal_segments(folder)),
      states_(sweep.design.n_runs(), RunState::missing) {
  for (std::size_t i = 0; i < segments_.size(); ++i) look_through(i);
  for (const auto& [run, reason] : out_of_time_) add_failure(run, reason);
}

void SweepRows::add_failure(std::uint64_t run, std::string_view reason) {
  ++n_failed_;
  longest_reason_ = std::max(longest_reason_, reason.size());
  kinds_.add(run, reason);
}

void SweepRows::look_through(std::size_t segment) {
  SegmentReader reader(segments_[segment], fingerprint_);
  JournalRecord record;
  std::optional<Stretch> open;
  std::uint64_t begin = reader.position();
  while (reader.next(record)) {
    if (!open) open = Stretch{segment, begin, begin, record.run, record.run};
    open->end = begin = reader.position();
    open->first_run = std::min(open->first_run, record.run);
    open->last_run = std::max(open->last_run, record.run);
    if (open->end - open->begin >= stretch_bytes) {
      stretches_.push_back(*open);
      open.reset();
    }
    if (record.run >= states_.size() || !does_count(record, states_[record.run], n_columns_))
      continue;
    RunState& state = states_[record.run];
    if (state == RunState::missing) ++n_known_;
    if (state == RunState::out_of_time) out_of_time_.erase(record.run);
    state = state_after(record.outcome);
    if (state == RunState::out_of_time)
      out_of_time_.emplace(record.run, record.reason);
    else if (state == RunState::failed)
      add_failure(record.run, record.reason);
  }
  if (open) stretches_.push_back(*open);
  if (SegmentReport report = reader.report(); !report.problem.empty())
    broken_.push_back(std::move(report));
}

void SweepRows::each_block(std::uint64_t n_runs,
                           const std::function<void(const RunBlock&)>& block) const {
  for (std::uint64_t first = 0; first < states_.size(); first += n_runs) {
    RunBlock runs(n_columns_, first, std::min<std::uint64_t>(n_runs, states_.size() - first));
    const std::uint64_t last = first + runs.n_runs() - 1;
    std::optional<SegmentReader> reader;
    std::size_t segment = segments_.size();
    JournalRecord record;
    for (const Stretch& stretch : stretches_) {
      if (stretch.last_run < first || stretch.first_run > last) continue;
      if (stretch.segment != segment) {
        segment = stretch.segment;
        reader.emplace(segments_[segment], fingerprint_);
      }
      reader->read_between(stretch.begin, stretch.end);
      while (reader->next(record)) runs.take(record);
    }
    runs.finish();
    block(runs);
  }
}

}  // namespace saltus
