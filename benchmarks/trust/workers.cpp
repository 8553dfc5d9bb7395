#include "trust/workers.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

namespace saltus::bench {

namespace {

void write_all(int to, const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t n = write(to, text.data() + done, text.size() - done);
    if (n <= 0) _exit(1);
    done += static_cast<std::size_t>(n);
  }
}

/// Every `stride`-th number from `first` on, until a piece kills the process: "number length\n", then the words.
void work(int to, std::uint64_t first, std::uint64_t end, std::uint64_t stride,
          unsigned seconds_each, const Piece& piece) {
  for (std::uint64_t number = first; number < end; number += stride) {
    alarm(seconds_each);
    const std::string said = piece(number);
    write_all(to, std::to_string(number) + " " + std::to_string(said.size()) + "\n" + said);
  }
}

std::string read_all(int from) {
  std::string text;
  char buffer[4096];
  for (ssize_t n = 0; (n = read(from, buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<std::size_t>(n));
  return text;
}

/// A process that works, and where what it says is read. One at a time is made: another one must not keep the pipe open.
struct Worker {
  pid_t process;
  int from;
};
Worker begin_worker(const std::function<void(int to)>& run) {
  static std::mutex one_at_a_time;
  const std::lock_guard guard(one_at_a_time);
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error("no pipe");
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("no process");
  if (child == 0) {
    close(ends[0]);
    run(ends[1]);
    _exit(0);
  }
  close(ends[1]);
  return {child, ends[0]};
}

/// One process after the other: the next one begins behind the piece at which the last one died.
Pieces run_every(std::uint64_t first, std::uint64_t end, std::uint64_t stride,
                 unsigned seconds_each, const Piece& piece) {
  Pieces pieces;
  for (std::uint64_t next = first; next < end;) {
    const Worker worker =
        begin_worker([&](int to) { work(to, next, end, stride, seconds_each, piece); });
    const std::string text = read_all(worker.from);
    close(worker.from);
    int status = 0;
    waitpid(worker.process, &status, 0);
    for (std::size_t at = 0; at < text.size();) {
      char* behind = nullptr;
      const std::uint64_t number = std::strtoull(text.c_str() + at, &behind, 10);
      const std::size_t length = std::strtoull(behind, &behind, 10);
      const auto begin = static_cast<std::size_t>(behind - text.c_str()) + 1;
      if (begin + length > text.size()) break;  // it died while it wrote
      pieces.said[number] = text.substr(begin, length);
      next = number + stride;
      at = begin + length;
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) break;
    pieces.died[next] = WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "it ended by itself";
    next += stride;
  }
  return pieces;
}

}  // namespace

Pieces run_pieces(std::uint64_t first, std::uint64_t n, unsigned seconds_each, const Piece& piece) {
  std::fflush(stdout);
  const unsigned n_workers = std::max(1U, std::thread::hardware_concurrency());
  std::vector<Pieces> parts(n_workers);
  std::vector<std::thread> threads;
  for (unsigned w = 0; w < n_workers; ++w)
    threads.emplace_back(
        [&, w] { parts[w] = run_every(first + w, first + n, n_workers, seconds_each, piece); });
  for (std::thread& t : threads) t.join();
  Pieces all;
  for (Pieces& part : parts) {
    all.said.merge(part.said);
    all.died.merge(part.died);
  }
  return all;
}

}  // namespace saltus::bench
