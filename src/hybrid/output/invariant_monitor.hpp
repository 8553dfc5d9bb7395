// Watches what a model declares to stay constant. Nothing is ever corrected here.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <saltus/system/variable_map.hpp>
#include <saltus/trajectory/report.hpp>

namespace saltus::detail {

class InvariantMonitor {
 public:
  explicit InvariantMonitor(const VariableMap& map);

  bool empty() const { return records_.empty(); }
  /// Values of all variables of a map of the same model at t. The first value seen of an invariant is the
  /// one it should keep.
  void observe(const VariableMap& map, double t, std::span<const double> values);

  /// Those that have been seen.
  std::vector<InvariantRecord> records() const;

 private:
  std::vector<std::uint32_t> variables_;
  std::vector<InvariantRecord> records_;
  std::vector<std::uint8_t> seen_;
};

}  // namespace saltus::detail
