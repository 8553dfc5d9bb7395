// Doing the runs of a sweep: by threads of this process, or by workers of Python's executors. The interpreter is unlocked
// meanwhile.
#include <pybind11/stl.h>

#include <atomic>
#include <condition_variable>
#include <thread>

#include <saltus/io/result_file.hpp>

#include "sweeps.hpp"

namespace saltus::python {

namespace {

// ---- by threads of this process ---------------------------------------------------------------------

/// What the threads of a sweep tell the one that waits for them.
class Watched {
 public:
  bool tell(const SweepProgress& progress) {
    const std::lock_guard lock(mutex_);
    progress_ = progress;
    return !stop_;
  }
  void end() {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    changed_.notify_all();
  }
  void stop() { stop_ = true; }
  /// True if it has ended; waits a moment for that.
  bool wait() {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::milliseconds(50), [&] { return ended_; });
  }
  SweepProgress progress() {
    const std::lock_guard lock(mutex_);
    return progress_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  SweepProgress progress_;
  bool ended_ = false;
  std::atomic<bool> stop_ = false;
};

void show(const py::object& progress, const SweepProgress& p) {
  if (!progress.is_none() && p.n_runs > 0) progress(p.n_before + p.n_done, p.n_runs, p.n_failed);
}

[[noreturn]] void refuse_folder(const std::string& folder, const Failure& failure) {
  throw FileError(folder, failure.message);
}

/// Ctrl-C and what `progress` raises end it after the runs that are under way; what is done is kept.
void run_all(const std::shared_ptr<PlannedSweep>& sweep, const std::string& folder,
             std::uint32_t n_threads, const py::object& progress) {
  Watched watched;
  SweepOptions options;
  options.n_threads = n_threads;
  options.progress = [&](const SweepProgress& p) { return watched.tell(p); };
  SweepReport report;
  std::exception_ptr refused;
  std::optional<py::error_already_set> raised;
  std::thread all([&] {
    try {
      report = run_sweep(sweep->plan(), folder, options);
    } catch (...) {
      refused = std::current_exception();
    }
    watched.end();
  });
  {
    py::gil_scoped_release unlocked;
    while (!watched.wait()) {
      if (raised) continue;
      const py::gil_scoped_acquire lock;
      try {
        if (PyErr_CheckSignals() != 0) throw py::error_already_set();
        show(progress, watched.progress());
      } catch (py::error_already_set& error) {
        raised.emplace(error);
        watched.stop();
      }
    }
    all.join();
  }
  if (raised) throw py::error_already_set(*raised);
  if (refused) std::rethrow_exception(refused);
  if (report.failure) refuse_folder(folder, *report.failure);
  show(progress, report.progress);
}

// ---- by workers of an executor ----------------------------------------------------------------------

/// What is missing, in chunks for others.
class SweepRest {
 public:
  SweepRest(std::shared_ptr<PlannedSweep> sweep, const std::string& folder, std::uint64_t n_workers)
      : sweep_(std::move(sweep)), missing_(sweep_->plan(), folder, options_, n_workers) {}

  void check() { sweep_->runner().check_first(missing_.first()); }
  std::vector<std::uint64_t> take() { return missing_.take(); }
  void done(std::uint64_t n, std::uint64_t n_failed) {
    for (std::uint64_t k = 0; k < n; ++k) missing_.done(0, k < n_failed);
  }
  /// (known, all, failed)
  std::tuple<std::uint64_t, std::uint64_t, std::uint64_t> counts() const {
    const SweepProgress& p = missing_.progress();
    return {p.n_before + p.n_done, p.n_runs, p.n_failed};
  }

 private:
  std::shared_ptr<PlannedSweep> sweep_;
  SweepOptions options_;
  MissingRuns missing_;
};

/// Runs that were given, once.
class GivenRuns final : public SweepQueue {
 public:
  explicit GivenRuns(std::vector<std::uint64_t> runs) : runs_(std::move(runs)) {}

  std::vector<std::uint64_t> take() override { return std::exchange(runs_, {}); }
  void done(std::uint64_t, bool failed) override {
    ++n_done_;
    n_failed_ += failed ? 1 : 0;
    const auto now = std::chrono::steady_clock::now();
    if (now - asked_ < std::chrono::milliseconds(50)) return;
    asked_ = now;
    const py::gil_scoped_acquire lock;
    interrupted_ = PyErr_CheckSignals() != 0;
  }
  bool is_over() const override { return interrupted_; }
  void give_up(const Failure& failure) override { failure_ = failure; }

  std::uint64_t n_done() const { return n_done_; }
  std::uint64_t n_failed() const { return n_failed_; }
  bool is_interrupted() const { return interrupted_; }
  const std::optional<Failure>& failure() const { return failure_; }

 private:
  std::vector<std::uint64_t> runs_;
  std::uint64_t n_done_ = 0, n_failed_ = 0;
  bool interrupted_ = false;
  std::optional<Failure> failure_;
  std::chrono::steady_clock::time_point asked_ = std::chrono::steady_clock::now();
};

/// A worker with a segment of its own.
class SweepWorker {
 public:
  SweepWorker(std::shared_ptr<PlannedSweep> sweep, const std::string& folder)
      : sweep_(std::move(sweep)), folder_(folder), writer_(make(*sweep_, folder)) {}

  /// (done, failed of them). What it returns for is on disk.
  std::pair<std::uint64_t, std::uint64_t> work_on(std::vector<std::uint64_t> runs) {
    GivenRuns given(std::move(runs));
    {
      py::gil_scoped_release unlocked;
      work(sweep_->runner(), writer_, given);
    }
    if (given.is_interrupted()) throw py::error_already_set();
    if (given.failure()) refuse_folder(folder_, *given.failure());
    return {given.n_done(), given.n_failed()};
  }

 private:
  static JournalWriter make(const PlannedSweep& sweep, const std::string& folder) {
    auto writer = JournalWriter::create(folder, sweep.plan().fingerprint());
    if (!writer) refuse_folder(folder, writer.failure());
    return std::move(*writer);
  }

  std::shared_ptr<PlannedSweep> sweep_;
  std::string folder_;
  JournalWriter writer_;
};

}  // namespace

void add_sweep_workers(py::module_& m) {
  m.def("run_sweep", run_all);
  py::class_<SweepRest>(m, "SweepRest")
      .def(py::init<std::shared_ptr<PlannedSweep>, const std::string&, std::uint64_t>())
      .def("check", &SweepRest::check)
      .def("take", &SweepRest::take)
      .def("done", &SweepRest::done)
      .def("counts", &SweepRest::counts);
  py::class_<SweepWorker>(m, "SweepWorker")
      .def(py::init<std::shared_ptr<PlannedSweep>, const std::string&>())
      .def("work_on", &SweepWorker::work_on);
}

}  // namespace saltus::python
