// Observer: receives the diagnostics and the progress of a run, and may stop it.
#pragma once

#include <cstdint>
#include <string_view>

namespace saltus {

enum class Severity {
  debug,  ///< for developers of a model
  info,   ///< a decision that the solver made
  /// The result is less good than requested; the report says by how much.
  warning
};

std::string_view name(Severity severity) noexcept;

// The progress of a run.
struct Progress {
  double t = 0.0;
  double fraction = 0.0;  // of the time between begin and end
  std::uint64_t n_steps = 0;
  std::uint64_t n_events = 0;
  double wall_time_s = 0.0;
};

// Receives diagnostics. The library never prints: pass an observer to see messages. Without one
// only texts are lost; everything that matters is in the report.
//
// message() is called on the thread that does the work. An observer shared by several runs must be
// thread-safe. The views are valid during the call only.
class Observer {
 public:
  virtual ~Observer() = default;

  // Receives one sentence of `text`. `topic` is a short stable word to filter by, e.g. "events".
  virtual void message(Severity severity, std::string_view topic, std::string_view text) = 0;

  // Called after every accepted step. Returning false stops the run; its result is complete up to
  // here.
  virtual bool keep_going(const Progress&) { return true; }

 protected:
  Observer() = default;
  Observer(const Observer&) = default;
  Observer& operator=(const Observer&) = default;
};

// Ignores all messages. It is stateless, so one instance serves all runs.
class NullObserver final : public Observer {
 public:
  void message(Severity, std::string_view, std::string_view) override {}
};

Observer& null_observer() noexcept;

}  // namespace saltus
