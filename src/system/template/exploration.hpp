// Which comparisons a template residual can make.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <saltus/system/template_system.hpp>

#include "system/template/comparison_table.hpp"

namespace saltus::detail {

struct Exploration {
  ComparisonTable table;
  /// What holds at the start; comparisons that are not met there are false.
  std::vector<std::uint8_t> truth;
  bool is_complete = false;  // every path that the answers allow was taken
};

struct ExplorationStart {
  std::span<const std::string> unknowns;  // names
  std::span<const double> x;
  std::size_t n_switches = 0;
  int limit = 0;
};

/// Runs the code at the start with answers turned round. First each comparison once, on the path on
/// which it was first met: this leads to everything that is nested, also behind && and ||. Then in
/// combination, breadth first, until `limit` runs were made. What only an untried combination leads to
/// stays unknown, and is refused where it is met.
Exploration explore(const TemplateCode& code, const ExplorationStart& start);

}  // namespace saltus::detail
