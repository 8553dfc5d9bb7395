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
  /// Whether what an event led to was smaller than the error of its function; true if that was so twice
  /// running, or by more than the error: the events that follow cannot be told apart any more.
  bool note_unresolved(std::uint32_t which, bool unresolved, bool by_more_than_the_error) {
    int& n = last_[which].n_unresolved;
    n = unresolved ? n + 1 : 0;
    return n >= 2 || (unresolved && by_more_than_the_error);
  }
  std::uint64_t n_events(std::uint32_t which) const { return last_[which].n_events; }

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
