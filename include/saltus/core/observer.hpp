#pragma once

#include <cstdint>
#include <string_view>

namespace saltus {

enum class Severity {
  debug,   ///< for the developer of a model
  info,    ///< what the solver decided on its own
  warning  ///< the result is worth less than was asked for, and the report says how much
};

std::string_view name(Severity severity) noexcept;

// How far a run has come.
struct Progress {
  double t = 0.0;
  double fraction = 0.0;  // of the time between begin and end
  std::uint64_t n_steps = 0;
  std::uint64_t n_events = 0;
  double wall_time_s = 0.0;
};

// Where diagnostics go. The library itself never prints: a host that wants to see messages passes
// an observer, and one that passes none loses nothing but words (what matters is in the report).
//
// message() is called on the thread that does the work, so an observer given to several runs at
// once must be safe for that. The views are valid during the call only.
class Observer {
 public:
  virtual ~Observer() = default;

  // `topic` is a short stable word to filter by, e.g. "events"; `text` is one sentence.
  virtual void message(Severity severity, std::string_view topic, std::string_view text) = 0;

  // Called after every accepted step; false stops the run, whose result is then complete up to here.
  virtual bool keep_going(const Progress&) { return true; }

 protected:
  Observer() = default;
  Observer(const Observer&) = default;
  Observer& operator=(const Observer&) = default;
};

// Hears nothing; stateless, so one is enough for everybody.
class NullObserver final : public Observer {
 public:
  void message(Severity, std::string_view, std::string_view) override {}
};

Observer& null_observer() noexcept;

}  // namespace saltus
