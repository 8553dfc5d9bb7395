// A sweep by the ranks of an MPI job (mpirun -n 64 saltus-mpi sweep start study.toml), or by threads of this process:
// sweep_ranks_mpi.cpp or sweep_ranks_none.cpp.
#pragma once

#include <optional>

#include <saltus/ensemble.hpp>

namespace saltus::app {

/// 0 in a program without MPI.
int rank_of_this_process();

/// What the first rank says, to all; to be called by all.
bool as_the_first_says(bool yes);

/// Of ranks the first one looks through the folder and hands out what is missing, to a thread of its own and to the
/// others, which ask again when they have done it; each writes its own segment. Only the first has a report.
std::optional<SweepReport> run_share(const SweepPlan& sweep, const std::filesystem::path& folder,
                                     const SweepOptions& options);

}  // namespace saltus::app
