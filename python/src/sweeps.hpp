#pragma once

#include <saltus/ensemble.hpp>

#include "bindings.hpp"

namespace saltus::python {

/// A plan and what is made of it once. Stays where it is: workers look at it.
class PlannedSweep {
 public:
  explicit PlannedSweep(SweepPlan plan) : plan_(std::move(plan)), runner_(plan_) {}
  PlannedSweep(const PlannedSweep&) = delete;
  PlannedSweep& operator=(const PlannedSweep&) = delete;

  const SweepPlan& plan() const { return plan_; }
  const SweepRunner& runner() const { return runner_; }

 private:
  SweepPlan plan_;
  SweepRunner runner_;
};

/// What does the runs of a plan: sweep_workers.cpp.
void add_sweep_workers(py::module_& m);

}  // namespace saltus::python
