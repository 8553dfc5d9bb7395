#include "hybrid/run/run_recorder.hpp"

namespace saltus::detail {

#ifdef SALTUS_HASH_RUNS
std::unique_ptr<RunRecord> hash_of_run(Observer& observer, RunFollower* follower);
const RunRecorder run_recorder = hash_of_run;
#else
const RunRecorder run_recorder = nullptr;
#endif

}  // namespace saltus::detail
