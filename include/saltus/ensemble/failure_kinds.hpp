// A short summary of the reasons why runs failed.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace saltus {

struct FailureKind {
  std::string text;  // with # for numbers, so that the same reason at another time is the same kind
  std::string example;
  std::uint64_t n_runs = 0;
  std::uint64_t example_run = 0;  // the first of them
};

/// Collects reasons. Beyond a thousand kinds, further ones are counted as one.
class FailureKinds {
 public:
  void add(std::uint64_t run, std::string_view reason);
  /// Returns the kinds, most frequent first.
  std::vector<FailureKind> list() const;

 private:
  std::map<std::string, FailureKind, std::less<>> kinds_;
};

}  // namespace saltus
