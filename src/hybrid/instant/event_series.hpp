// Where events come ever faster, or closer to each other than a run can tell.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "hybrid/books/ending.hpp"
#include "hybrid/books/ledger.hpp"
#include "hybrid/search/excursions.hpp"
#include "hybrid/stay/recording.hpp"
#include "hybrid/stay/stay.hpp"

namespace saltus::detail {

/// Events of a relation come to an end at t_limit, which is close.
struct SeriesEnd {
  std::uint32_t which = 0;
  double t_limit = 0.0;
  std::string text = {};  // how that is known
  bool is_predicted = true;
};

class EventSeries {
 public:
  /// All outlive it.
  EventSeries(const Stay& here, const Recording& recording, Excursions& excursions,
              const RunOptions& options, Ledger& ledger)
      : here_(here),
        recording_(recording),
        excursions_(excursions),
        options_(options),
        ledger_(ledger) {}

  /// Before an event is passed: how far the function of each relation went since its event before, and how far it must
  /// have gone to be told from one that did not move.
  void measure(const EventPoint& point, std::span<Crossing> crossings);
  /// After it: nothing, where a series ends, or why the run must.
  using Found = std::variant<std::monostate, SeriesEnd, Ending>;
  Found look(double t_here, std::span<const Crossing> crossings);
  /// What the options or the model want to happen at the end of a series.
  std::optional<std::uint32_t> action_at_end(std::uint32_t which) const;
  /// Another relation that chooses equations and whose crossings come to an end at the same time, as far as the last
  /// intervals tell.
  std::optional<std::uint32_t> corner_partner(std::uint32_t which, double t_limit);
  /// Relations whose events end with a series, besides its own: as that of the velocity of a ball at the top of each
  /// hop, they set off nothing.
  std::vector<std::uint32_t> ending_with(std::uint32_t which, double t_limit);
  /// What moves beside a series follows its tangent up to the limit. What bends on the way by much more than its
  /// tolerance is named: half of what its derivative changes by, times the time.
  void warn_of_bends(std::uint32_t which, const EventPoint& limit);
  /// An event from which the run cannot go on. Where such events were too close to be told apart that is the reason, and
  /// if they were predicted to have a limit, the limit is what is known: no branch of the model leads beyond.
  Ending ending_of(const ModeRun& before, const Failure& failure,
                   std::span<const Crossing> crossings);

 private:
  double excursion_of_piece(const EventPoint& point, std::uint32_t which);
  double resolution_of(const EventPoint& point, std::uint32_t which);
  bool ends_about(std::uint32_t which, double t_limit) const;
  bool switches_with(std::uint32_t series, std::uint32_t other) const;
  bool belongs_to_other(std::uint32_t which);
  bool sets_off_actions(std::uint32_t which) const;
  std::string words_of(const std::string& relation, const AccumulationWatch::Verdict& verdict,
                       const Crossing& last) const;

  const Stay& here_;
  const Recording& recording_;
  Excursions& excursions_;
  const RunOptions& options_;
  Ledger& ledger_;
  std::vector<double> x_, xdot_;  // at a point of the last piece
};

/// Whether a relation is what it was before it crossed.
bool is_turned_back(const SwitchBoard& board, const Crossing& crossing, bool forward);

}  // namespace saltus::detail
