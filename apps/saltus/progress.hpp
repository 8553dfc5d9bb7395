// What a run tells while it goes on: a line on a terminal, messages to the log, Ctrl-C to the run.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include <saltus/core/observer.hpp>

namespace saltus::app {

class RunWatch final : public Observer {
 public:
  /// The line is shown on standard error if that is a terminal and `wanted`.
  RunWatch(double t_end, bool wanted);
  ~RunWatch() override { clear(); }

  void message(Severity severity, std::string_view topic, std::string_view text) override;
  bool keep_going(const Progress& progress) override;
  void clear();

 private:
  void draw(const Progress& progress);

  double t_end_;
  bool shown_;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point last_;
};

/// "[######----] 62 %  t = 7.4 of 12 s  5 events  about 3 s left"
std::string progress_line(double fraction, double t, double t_end, std::uint64_t n_events,
                          double wall_time_s);

}  // namespace saltus::app
