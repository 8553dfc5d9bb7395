#include "hybrid/output/invariant_monitor.hpp"

#include <cmath>

namespace saltus::detail {

InvariantMonitor::InvariantMonitor(const VariableMap& map) {
  const auto variables = map.variables();
  for (std::uint32_t v = 0; v < variables.size(); ++v) {
    if (!variables[v].invariant) continue;
    variables_.push_back(v);
    records_.push_back({variables[v].name, variables[v].unit});
    seen_.push_back(0);
  }
}

void InvariantMonitor::observe(const VariableMap& map, double t, std::span<const double> values) {
  for (std::size_t k = 0; k < variables_.size(); ++k) {
    if (!map.present(variables_[k])) continue;
    InvariantRecord& record = records_[k];
    const double value = values[variables_[k]];
    if (!std::isfinite(value)) continue;
    if (!seen_[k]) {
      seen_[k] = 1;
      record.initial = value;
      record.t_largest = t;
    }
    record.last = value;
    const double deviation = value - record.initial;
    if (std::abs(deviation) > std::abs(record.largest_deviation)) {
      record.largest_deviation = deviation;
      record.t_largest = t;
    }
  }
}

std::vector<InvariantRecord> InvariantMonitor::records() const {
  std::vector<InvariantRecord> seen;
  for (std::size_t k = 0; k < records_.size(); ++k) {
    if (seen_[k]) seen.push_back(records_[k]);
  }
  return seen;
}

}  // namespace saltus::detail
