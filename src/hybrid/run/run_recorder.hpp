// A seam for comparing two builds of Saltus: what sees every run of a program, from its begin to what it returns.
#pragma once

#include <memory>

#include <saltus/core/observer.hpp>
#include <saltus/hybrid/follower.hpp>
#include <saltus/trajectory/solution.hpp>

namespace saltus::detail {

/// Sees one run. Stands between the run and those who watch it.
class RunRecord {
 public:
  virtual ~RunRecord() = default;
  virtual Observer& observer() = 0;
  virtual RunFollower* follower() = 0;
  virtual void ends(const Solution& solution) = 0;
};

/// Begins a record. None in a program that is not compared (see tools/same_runs).
using RunRecorder = std::unique_ptr<RunRecord> (*)(Observer&, RunFollower*);
extern const RunRecorder run_recorder;

inline std::unique_ptr<RunRecord> record_of(Observer& observer, RunFollower* follower) {
  return run_recorder != nullptr ? run_recorder(observer, follower) : nullptr;
}

}  // namespace saltus::detail
