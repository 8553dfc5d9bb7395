// Counts calls from several threads. With SALTUS_PLANTED_RACE set it does so without protection, which
// the thread sanitizer has to report: a clean run means something only if it would have seen a race.
#pragma once

#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include <saltus/core/observer.hpp>

namespace saltus::test {

class Tally {
 public:
  void count() {
    if (planted_)
      ++unprotected_;
    else
      ++protected_;
  }
  long total() const { return planted_ ? unprotected_ : protected_.load(); }

 private:
  bool planted_ = std::getenv("SALTUS_PLANTED_RACE") != nullptr;
  long unprotected_ = 0;
  std::atomic<long> protected_ = 0;
};

/// Counts the steps of all runs it is given to.
class StepTally final : public Observer {
 public:
  void message(Severity, std::string_view, std::string_view) override {}
  bool keep_going(const Progress&) override {
    tally_.count();
    return true;
  }
  long total() const { return tally_.total(); }

 private:
  Tally tally_;
};

inline constexpr std::size_t n_test_threads = 8;

/// The same test may run twice at once, with and without a planted race.
inline std::filesystem::path folder_of_this_process(const std::string& what) {
  return std::filesystem::temp_directory_path() /
         ("saltus_threads_" + what + "_" + std::to_string(::getpid()));
}

/// work(0) … work(7), each on a thread of its own.
template <typename Work>
void on_threads(const Work& work) {
  std::vector<std::thread> threads;
  for (std::size_t k = 0; k < n_test_threads; ++k) threads.emplace_back([&work, k] { work(k); });
  for (std::thread& thread : threads) thread.join();
}

}  // namespace saltus::test
