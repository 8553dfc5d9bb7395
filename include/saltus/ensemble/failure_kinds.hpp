// Why runs failed, in few lines.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace saltus {

struct FailureKind {
  std::string text;  // with # for numbers: the same reason at another time is the same
  std::string example;
  std::uint64_t n_runs = 0;
  std::uint64_t example_run = 0;  // the first of them
};

/// Collects reasons. Beyond many kinds (a thousand) others are counted as one.
class FailureKinds {
 public:
  void add(std::uint64_t run, std::string_view reason);
  /// The most frequent first.
  std::vector<FailureKind> list() const;

 private:
  std::map<std::string, FailureKind, std::less<>> kinds_;
};

}  // namespace saltus
