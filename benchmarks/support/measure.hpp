// Ratios of run times that a busy machine cannot spoil, and the lines they are printed in.
#pragma once

#include <ctime>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

namespace saltus::bench {

/// CPU time of this thread in seconds: waiting for a neighbour does not count.
inline double cpu_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

/// Times several pieces of work in turn, batch after batch, and keeps the best batch of each, in
/// seconds per call. Interleaving exposes all of them to the same disturbances.
inline std::vector<double> best_of_interleaved(std::vector<std::function<void()>> work,
                                               double seconds_in_all) {
  constexpr double batch_seconds = 2e-3;
  std::vector<long> repeats(work.size(), 1);
  std::vector<double> best(work.size(), 1e300);
  for (std::size_t k = 0; k < work.size(); ++k) {
    for (;;) {
      const double start = cpu_seconds();
      for (long i = 0; i < repeats[k]; ++i) work[k]();
      if (cpu_seconds() - start > batch_seconds) break;
      repeats[k] *= 2;
    }
  }
  const double begin = cpu_seconds();
  while (cpu_seconds() - begin < seconds_in_all) {
    for (std::size_t k = 0; k < work.size(); ++k) {
      const double start = cpu_seconds();
      for (long i = 0; i < repeats[k]; ++i) work[k]();
      best[k] = std::min(best[k], (cpu_seconds() - start) / static_cast<double>(repeats[k]));
    }
  }
  return best;
}

/// Collects the parts of one numbered item and prints its line.
class Item {
 public:
  explicit Item(int number) : number_(number) {}

  void at_most(const std::string& what, double value, double bound, const char* unit = "") {
    add(what, value, "<= ", bound, unit, value <= bound);
  }
  void at_least(const std::string& what, double value, double bound, const char* unit = "") {
    add(what, value, ">= ", bound, unit, value >= bound);
  }
  void holds(const std::string& what, bool fact) {
    figure_ += separator(figure_) + what + (fact ? "" : ": NO");
    ok_ = ok_ && fact;
  }
  /// Shown, not judged.
  void note(const std::string& text) { figure_ += separator(figure_) + text; }
  /// What the item's name promises and this measurement does not show.
  void leaves_out(const std::string& text) {
    left_out_ += (left_out_.empty() ? "; leaves out: " : "; ") + text;
  }

  bool print() const {
    std::printf("%d: %s%s (%s) %s\n", number_, figure_.c_str(), left_out_.c_str(),
                bound_.empty() ? "must hold" : bound_.c_str(), ok_ ? "ok" : "short");
    std::fflush(stdout);
    return ok_;
  }

 private:
  static std::string separator(const std::string& s) { return s.empty() ? "" : ", "; }
  static std::string number(double v) {
    char text[32];
    std::snprintf(text, sizeof text, "%.3g", v);
    return text;
  }
  void add(const std::string& what, double value, const char* relation, double bound,
           const char* unit, bool ok) {
    figure_ += separator(figure_) + what + " " + number(value) + unit;
    bound_ += separator(bound_) + relation + number(bound) + unit;
    ok_ = ok_ && ok;
  }

  int number_;
  std::string figure_;
  std::string bound_;
  std::string left_out_;
  bool ok_ = true;
};

}  // namespace saltus::bench
