#include "progress.hpp"

#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "interrupt.hpp"

namespace saltus::app {

std::string progress_line(double fraction, double t, double t_end, std::uint64_t n_events,
                          double wall_time_s) {
  constexpr int width = 28;
  const double part = std::clamp(fraction, 0.0, 1.0);
  const int full = static_cast<int>(part * width);
  std::string bar(static_cast<std::size_t>(width), '-');
  std::fill_n(bar.begin(), full, '#');
  std::string rest;
  // Before that nothing can be said that would stay true.
  if (part > 0.001 && wall_time_s > 1.0) {
    const double left = wall_time_s * (1.0 - part) / part;
    rest = left < 90     ? fmt::format("  about {:.0f} s left", std::ceil(left))
           : left < 5400 ? fmt::format("  about {:.0f} min left", left / 60)
                         : fmt::format("  about {:.1f} h left", left / 3600);
  }
  return fmt::format("[{}] {:3.0f} %  t = {:.4g} of {:.4g} s  {} event{}{}", bar, 100 * part, t,
                     t_end, n_events, n_events == 1 ? "" : "s", rest);
}

RunWatch::RunWatch(double t_end, bool wanted)
    : t_end_(t_end),
      shown_(wanted && isatty(STDERR_FILENO) != 0),
      last_(std::chrono::steady_clock::now()) {}

void RunWatch::message(Severity severity, std::string_view topic, std::string_view text) {
  clear();
  switch (severity) {
    case Severity::debug:
      spdlog::debug("{}: {}", topic, text);
      break;
    case Severity::info:
      spdlog::info("{}: {}", topic, text);
      break;
    case Severity::warning:
      break;  // the report repeats it, and it is told at the end
  }
}

bool RunWatch::keep_going(const Progress& progress) {
  if (interrupted()) return false;
  if (!shown_) return true;
  // Ten times a second is as much as anybody sees.
  const auto now = std::chrono::steady_clock::now();
  if (now - last_ < std::chrono::milliseconds(100)) return true;
  last_ = now;
  draw(progress);
  return true;
}

void RunWatch::draw(const Progress& progress) {
  const std::string line =
      progress_line(progress.fraction, progress.t, t_end_, progress.n_events, progress.wall_time_s);
  std::fprintf(stderr, "\r\x1b[K%s", line.c_str());
  std::fflush(stderr);
  drawn_ = true;
}

void RunWatch::clear() {
  if (!drawn_) return;
  std::fputs("\r\x1b[K", stderr);
  std::fflush(stderr);
  drawn_ = false;
}

}  // namespace saltus::app
