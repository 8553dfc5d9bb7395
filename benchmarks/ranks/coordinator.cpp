// What a request of a rank costs the first one, and what each run of it does; two ranks. Prints JSON.
//   mpirun -n 2 saltus_bench_ranks
// The requests wait already, so that nothing but the answer is counted: probe, receive, book, take, send, as saltus-mpi does.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <vector>

#include <saltus/saltus.hpp>

#include "ensembles/ensembles.hpp"
#include "support/measure.hpp"

namespace saltus::bench {

namespace {

constexpr int n_requests = 256;

double answer_all(SweepQueue& missing, std::uint64_t n_done) {
  const double begin = cpu_seconds();
  for (int k = 0; k < n_requests; ++k) {
    int is_there = 0;
    MPI_Status status;
    while (is_there == 0)
      MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &is_there, &status);
    std::array<std::uint64_t, 2> counts{};
    MPI_Recv(counts.data(), 2, MPI_UINT64_T, status.MPI_SOURCE, 1, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    for (std::uint64_t i = 0; i < n_done; ++i) missing.done(0, false);
    const std::vector<std::uint64_t> runs = missing.take();
    MPI_Send(runs.data(), static_cast<int>(runs.size()), MPI_UINT64_T, status.MPI_SOURCE, 2,
             MPI_COMM_WORLD);
  }
  return (cpu_seconds() - begin) / n_requests;
}

void ask() {
  std::array<std::uint64_t, 2> counts{};
  std::vector<MPI_Request> sent(n_requests);
  for (MPI_Request& one : sent)
    MPI_Isend(counts.data(), 2, MPI_UINT64_T, 0, 1, MPI_COMM_WORLD, &one);
  MPI_Barrier(MPI_COMM_WORLD);
  std::vector<std::uint64_t> runs(256);
  for (int k = 0; k < n_requests; ++k)
    MPI_Recv(runs.data(), 256, MPI_UINT64_T, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Waitall(n_requests, sent.data(), MPI_STATUSES_IGNORE);
}

/// Seconds per request of so many runs.
double seconds_per_request(int rank, std::uint64_t chunk) {
  double best = 1e300;
  for (int turn = 0; turn < 40; ++turn) {
    if (rank == 1) {
      ask();
    } else {
      // So many workers that chunks are as long as wanted.
      const SweepPlan sweep = relay_sweep(chunk == 1 ? 100'000 : 10'000'000);
      const Folder folder;
      const SweepOptions options;
      MissingRuns missing(sweep, folder.path(), options, chunk == 1 ? 100'000 : 1);
      MPI_Barrier(MPI_COMM_WORLD);
      best = std::min(best, answer_all(missing, chunk));
    }
  }
  return best;
}

}  // namespace

}  // namespace saltus::bench

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const double one = saltus::bench::seconds_per_request(rank, 1);
  const double many = saltus::bench::seconds_per_request(rank, 256);
  const double per_run = (many - one) / 255.0;
  if (rank == 0)
    std::printf("{\"request_s\": %.3g, \"booking_s\": %.3g}\n", one - per_run, per_run);
  MPI_Finalize();
  return 0;
}
