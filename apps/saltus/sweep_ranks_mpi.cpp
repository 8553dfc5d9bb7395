#include <mpi.h>

#include <array>
#include <chrono>
#include <thread>

#include <saltus/core/error.hpp>

#include "interrupt.hpp"
#include "sweep_ranks.hpp"

namespace saltus::app {

namespace {

// From a worker to the first rank, and back.
constexpr int tag_asks = 1, tag_runs = 2, tag_gives_up = 3;

/// MPI for the time of a sweep. Only the main thread speaks.
class Job {
 public:
  Job() {
    int given = MPI_THREAD_SINGLE;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &given);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
  }
  ~Job() { MPI_Finalize(); }
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;
  int rank() const { return rank_; }
  int size() const { return size_; }

 private:
  int rank_ = 0, size_ = 1;
};

Job& job() {
  static Job the_job;
  return the_job;
}

/// Asks the first rank.
class AskedRuns final : public SweepQueue {
 public:
  std::vector<std::uint64_t> take() override {
    std::array<std::uint64_t, 2> counts = {n_done_, n_failed_};
    MPI_Send(counts.data(), 2, MPI_UINT64_T, 0, tag_asks, MPI_COMM_WORLD);
    n_done_ = n_failed_ = 0;
    MPI_Status status;
    MPI_Probe(0, tag_runs, MPI_COMM_WORLD, &status);
    int count = 0;
    MPI_Get_count(&status, MPI_UINT64_T, &count);
    std::vector<std::uint64_t> runs(static_cast<std::size_t>(count));
    MPI_Recv(runs.data(), count, MPI_UINT64_T, 0, tag_runs, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    is_told_ = runs.empty();
    return runs;
  }
  void done(std::uint64_t, bool failed) override {
    ++n_done_;
    n_failed_ += failed ? 1 : 0;
  }
  bool is_over() const override { return interrupted(); }
  void give_up(const Failure& failure) override {
    MPI_Send(failure.message.data(), static_cast<int>(failure.message.size()), MPI_CHAR, 0,
             tag_gives_up, MPI_COMM_WORLD);
    while (!is_told_) (void)take();  // until there is nothing for anybody
  }

 private:
  std::uint64_t n_done_ = 0, n_failed_ = 0;
  bool is_told_ = false;
};

/// Answers until everybody knows that there is nothing left. A message is looked for now and then: waiting for one inside
/// of MPI would take the core from the thread that works.
void answer(MissingRuns& missing) {
  int n_asking = job().size() - 1;
  while (n_asking > 0) {
    int is_there = 0;
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &is_there, &status);
    if (is_there == 0) {
      std::this_thread::sleep_for(std::chrono::microseconds(200));
      continue;
    }
    if (status.MPI_TAG == tag_gives_up) {
      int length = 0;
      MPI_Get_count(&status, MPI_CHAR, &length);
      std::string message(static_cast<std::size_t>(length), ' ');
      MPI_Recv(message.data(), length, MPI_CHAR, status.MPI_SOURCE, tag_gives_up, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
      missing.give_up({FailureCode::not_certified, message});
      continue;
    }
    std::array<std::uint64_t, 2> counts{};
    MPI_Recv(counts.data(), 2, MPI_UINT64_T, status.MPI_SOURCE, tag_asks, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    for (std::uint64_t k = 0; k < counts[0]; ++k) missing.done(0, k < counts[1]);
    const std::vector<std::uint64_t> runs = missing.take();
    MPI_Send(runs.data(), static_cast<int>(runs.size()), MPI_UINT64_T, status.MPI_SOURCE, tag_runs,
             MPI_COMM_WORLD);
    if (runs.empty()) --n_asking;
  }
}

}  // namespace

int rank_of_this_process() { return job().rank(); }

bool as_the_first_says(bool yes) {
  int said = yes ? 1 : 0;
  MPI_Bcast(&said, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return said != 0;
}

std::optional<SweepReport> run_share(const SweepPlan& sweep, const std::filesystem::path& folder,
                                     const SweepOptions& options) {
  const SweepRunner runner(sweep);
  if (job().rank() != 0) {
    AskedRuns asked;
    work(runner, folder, asked);
    return std::nullopt;
  }
  MissingRuns missing(sweep, folder, options, static_cast<std::uint64_t>(job().size()));
  try {
    runner.check_first(missing.first());
  } catch (const Error& error) {
    missing.give_up({FailureCode::out_of_domain, error.what()});
    answer(missing);
    throw;
  }
  std::thread worker([&] { work(runner, folder, missing); });
  answer(missing);
  worker.join();
  return missing.report();
}

}  // namespace saltus::app
