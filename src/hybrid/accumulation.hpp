// Events that come ever faster.
//
// The intervals between events of one relation are watched. If they shrink by a steady ratio r < 1, the
// events accumulate (Zeno): after the interval d the limit is
//
//   t_limit = t + d r / (1 - r)                                                              (V.3)
//
// (Aitken's formula). If they are as short as the smallest steps, the relation chatters.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace saltus::detail {

class AccumulationWatch {
 public:
  enum class Kind : std::uint8_t { none, accumulates, chatters };
  struct Verdict {
    Kind kind = Kind::none;
    double t_limit = 0.0;
    double ratio = 0.0;
    std::uint64_t n_events = 0;
  };

  AccumulationWatch(std::uint32_t n_switches, double window) : last_(n_switches), window_(window) {}

  /// An event of a relation that interrupted the solution.
  /// `uncertainty`: how well the time of the event is known.
  Verdict note(std::uint32_t which, double t, double uncertainty = 0.0);
  /// After note(): the rate of g after the event and its error. A function that returns to zero after about
  /// the interval before comes no further than rate * interval / 4 on its way. True if that was below the
  /// error twice running: events that follow cannot be told apart any more.
  bool note_excursion(std::uint32_t which, double rate, double error);
  std::uint64_t n_events(std::uint32_t which) const { return last_[which].n_events; }
  /// Where its events would end if they went on like the last two intervals; nothing if these do not shrink.
  std::optional<double> limit_of(std::uint32_t which) const;

 private:
  struct Past {
    double t = 0.0, interval = 0.0, ratio = 0.0;
    double t_first = 0.0;  // where the shrinking began
    std::uint64_t n_events = 0;
    int n_intervals = 0;
    int n_short = 0;
    int n_unresolved = 0;
  };
  std::vector<Past> last_;
  double window_;
};

}  // namespace saltus::detail
