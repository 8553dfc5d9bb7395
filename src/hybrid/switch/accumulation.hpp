// Events that come ever faster.
//
// Each event of a relation is noted with the interval since the one before and with how far the switching function
// went between the two (the excursion). Three things are told from them.
//
// A prediction. Let S_n be the last two intervals together (one-sided motions have intervals of two kinds, in turn).
// Where events accumulate (Zeno) by a steady ratio, the time that is left is proportional to S, so that with an event
// a before, when S was at least twice as large,
//
//   t_limit = t_n + (t_n - t_a) S_n / (S_a - S_n).                                            (V.3)
//
// With one ratio r this is Aitken's d r / (1 - r). A limit that moves on with time, as where intervals fall like
// exp(-t), is none: between a and n it must have moved by less than half of t_n - t_a. How far it moved is its error,
// with what errors of times make. Excursions that lose a bit each time end the series early. An interval goes with the
// square root of its excursion, at both ends, and the rest with the interval: a part lost / excursion of the rest, which
// grows as 1 / r from event to event, and is lost / excursion / (1 - r) of it with all that were lost before.
// Of two predictions the one with the smaller error counts, unless they exclude each other: then the later one.
//
// A conclusion. A prediction is no more than that: the model may have a branch that ends the series. So its events
// are followed until an excursion is smaller than the error with which the run knows it (the resolution), in two of
// four events. Only then the prediction stands. Two events in turn that can clearly be told apart (excursions of four
// resolutions), or eight that can, contradict it where they go on after t_limit. Slow series end earlier: where two excursions in turn should differ by less than a tenth of the
// distance at which events are placed, they no longer fall as the model says. A relation that turned back after each
// event, and does not where its next excursion would be below the resolution, is one that cannot be followed either: its
// function was placed beyond its next zero.
//
// Company. A relation that has one event between any two of another one's, six times in turn, switches with that series.
//
// Chattering. Intervals of a few digits of the time are no motion any more.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace saltus::detail {

class AccumulationWatch {
 public:
  enum class Kind : std::uint8_t {
    none,
    accumulates,  // as predicted, and followed as far as events can be told apart
    lost,         // they cannot be told apart any more, and nothing was predicted
    chatters,     // intervals are a few digits of the time
  };
  struct Sighting {
    double t = 0.0;
    double excursion = 0.0;   // of g since the event before
    double resolution = 0.0;  // an excursion below this cannot be told from none
    double distance = 0.0;    // of g from zero where the event was placed
    double error = 0.0;       // of g, as the tolerances allow it
    double time_error = 0.0;  // how well t is known along the computed solution
    double lost = 0.0;        // by how much each excursion may be too small, all with one sign
    bool turned_back = true;  // the relation is what it was before the event
  };
  struct Prediction {
    double t_limit = 0.0, error = 0.0;
    double ratio = 0.0;             // of an interval to the one before, on average
    std::uint64_t n_intervals = 0;  // that shrank
  };
  struct Verdict {
    Kind kind = Kind::none;
    Prediction prediction;  // where it accumulates
    std::uint64_t n_events = 0;
    double resolution = 0.0;   // that was reached
    bool below_error = false;  // the last two excursions were below the error of g
    bool is_stuck = false;     // it should have turned back, and can have no further event
  };

  /// `window`: a limit is predicted where it is closer than this part of the time since intervals began to shrink.
  AccumulationWatch(std::uint32_t n_switches, double window) : past_(n_switches), window_(window) {}

  /// An event of a relation that interrupted the solution.
  Verdict note(std::uint32_t which, const Sighting& seen);
  /// The time since the last event of a relation; nothing if there was none.
  std::optional<double> interval_to(std::uint32_t which, double t) const;
  std::uint64_t n_events(std::uint32_t which) const { return past_[which].n_events; }
  /// Where its events would end if they went on like the last ones; nothing if these do not shrink.
  std::optional<double> limit_of(std::uint32_t which) const { return past_[which].limit; }
  /// The best prediction that no event has contradicted.
  const std::optional<Prediction>& prediction_of(std::uint32_t which) const {
    return past_[which].best;
  }
  /// Its last events, the latest first.
  std::span<const double> last_times(std::uint32_t which) const {
    const Past& past = past_[which];
    return std::span(past.times).first(std::min<std::uint64_t>(past.n_events, past.times.size()));
  }
  /// Between its last two events.
  double last_interval(std::uint32_t which) const { return past_[which].interval; }
  /// The solution goes on from the limit: what was before tells nothing of what comes.
  void forget(std::uint32_t which);

  /// An event is close to the one before if the excursion between them is less than ten times what is not known of the
  /// function: its error, and the distances at which all events before were placed, added up. True if the last two are
  /// close; such events are counted.
  bool note_close(std::uint32_t which, double excursion, double error, double distance);
  std::uint64_t n_close(std::uint32_t which) const { return past_[which].n_close; }

 private:
  struct Checkpoint {
    double t = 0.0, pair = 0.0;
    std::optional<double> limit;
    std::uint64_t n = 0;
  };
  struct Past {
    double t = 0.0, interval = 0.0, excursion = 0.0;
    std::array<double, 7> times{};  // the latest first
    std::uint64_t n_events = 0;
    int n_intervals = 0;
    int n_short = 0, n_below = 0, n_turned_back = 0, n_beyond = 0;  // running
    std::uint8_t unresolved = 0, unclear = 0;  // a bit for each of the last events
    std::vector<Checkpoint> shrinking;         // S falls from each to the next
    std::optional<double> limit;
    std::optional<Prediction> best;
    bool was_close = false;
    double displaced = 0.0;  // distances, added up
    std::uint64_t n_close = 0;
  };
  static double resolution_of(const Past& past, const Sighting& seen);
  void predict(Past& past, const Sighting& seen, double pair) const;

  std::vector<Past> past_;
  double window_;
};

/// Whether `other` has one event in each interval of a series, as the velocity of a ball at the top of each hop: after each
/// of its events but the last, up to the one that follows.
bool switches_with(std::span<const double> series, std::span<const double> other);

}  // namespace saltus::detail
