// Runs of ours and of others on one problem, and the table they are printed in.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace saltus::bench {

/// A count of zero is one that is not known, or of what does not exist.
struct PeerRow {
  std::string failure = {};  // empty: it reached the end
  double error = 0.0;
  std::uint64_t n_steps = 0, n_evaluations = 0, n_decisions = 0;
  double seconds = 0.0, seconds_set_up = 0.0;
};
struct Contestant {
  bool ours = false;
  std::string what;
  std::function<PeerRow()> run;
};
struct Contest {
  std::string title;
  std::vector<Contestant> contestants = {};
};

/// Runs all and prints them. Returns the smallest errors of ours and of theirs.
std::string show_contest(const Contest& contest);

}  // namespace saltus::bench
