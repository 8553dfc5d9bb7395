// Counts calls from several threads. With SALTUS_PLANTED_RACE set it does so without protection, which
// the thread sanitizer has to report: a clean run means something only if it would have seen a race.
#pragma once

#include <unistd.h>

#include <atomic>
#include <chrono>
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
    if (!planted_) {
      ++protected_;
      return;
    }
    wait_for_two(first_, ready_);
    ++unprotected_;
    wait_for_two(second_, counted_);
  }
  long total() const { return planted_ ? unprotected_ : protected_.load(); }

 private:
  // Two threads count only after both have come here, and neither goes on before both have counted: no
  // lock in between orders their counts, and the sanitizer, which forgets, still knows the other's. All is
  // relaxed, as anything stronger would order them. The thread that made the tally is alone and never waits.
  void wait_for_two(std::atomic<std::thread::id>& first, std::atomic<bool>& two) {
    using Clock = std::chrono::steady_clock;
    const std::thread::id me = std::this_thread::get_id();
    if (me == maker_ || two.load(std::memory_order_relaxed)) return;
    std::thread::id nobody;
    if (!first.compare_exchange_strong(nobody, me, std::memory_order_relaxed) && nobody != me)
      two.store(true, std::memory_order_relaxed);
    const Clock::time_point limit = Clock::now() + std::chrono::seconds(30);
    while (!two.load(std::memory_order_relaxed) && Clock::now() < limit) std::this_thread::yield();
  }

  bool planted_ = std::getenv("SALTUS_PLANTED_RACE") != nullptr;
  const std::thread::id maker_ = std::this_thread::get_id();
  // The first thread that comes here, and the first that has counted.
  std::atomic<std::thread::id> first_, second_;
  std::atomic<bool> ready_ = false, counted_ = false;
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
