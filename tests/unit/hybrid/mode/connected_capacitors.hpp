// Two capacitors that are connected, C1 u' = i and 2 w' = 6 - i with u = w, and their differentiated equations.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <saltus/system/configuration.hpp>
#include <saltus/system/started_system.hpp>

#include "hybrid/mode/reduction.hpp"
#include "linear_system.hpp"

namespace saltus::hybrid_test {

/// One system, and what is said of its structure.
struct StructureOf final : ConfigurationSource {
  Configuration initial() const override { return {}; }
  std::string mode_name(std::uint32_t) const override { return ""; }
  Result<std::shared_ptr<const System>> system(const Configuration&) override { return written; }
  Result<std::shared_ptr<const DifferentiatedSystem>> differentiated(
      const Configuration&) override {
    return by_structure;
  }
  std::shared_ptr<const System> written;
  Result<std::shared_ptr<const DifferentiatedSystem>> by_structure =
      Failure{FailureCode::singular, "no structure is known"};
};

/// At u = w = 1 they carry the charge 3, and u' = w' = i = 2. `n_more` unknowns are zero.
struct ConnectedCapacitors {
  explicit ConnectedCapacitors(double u = 1.0, double w = 1.0, std::size_t n_more = 0)
      : written(two_capacitors(u, w)) {
    written.b[1] = 6.0;
    for (std::size_t k = 0; k < n_more; ++k) {
      written.unknowns.push_back({"z" + std::to_string(k), 0.0, false, false});
      add_row(written, {}, {{3 + k, 1.0}});
    }
    const std::size_t n = 3 + n_more, du = n, dw = n + 1;
    twice.unknowns = written.unknowns;
    twice.unknowns.push_back({"der(u)", 0.0, false, false});
    twice.unknowns.push_back({"der(w)", 0.0, false, false});
    add_row(twice, {}, {{du, 1.0}, {2, -1.0}});
    add_row(twice, {}, {{dw, 2.0}, {2, 1.0}}, 6.0);
    add_row(twice, {}, {{0, 1.0}, {1, -1.0}});
    for (std::size_t k = 0; k < n_more; ++k) add_row(twice, {}, {{3 + k, 1.0}});
    add_row(twice, {}, {{du, 1.0}, {dw, -1.0}});
    add_row(twice, {{0, 1.0}}, {{du, -1.0}});
    add_row(twice, {{1, 1.0}}, {{dw, -1.0}});
    constexpr std::uint32_t none = DifferentiatedSystem::none;
    d.derivative_row.assign(n + 1, none);
    d.derivative_row[2] = static_cast<std::uint32_t>(n);
    d.derivative_unknown.assign(n + 2, none);
    d.derivative_unknown[0] = static_cast<std::uint32_t>(du);
    d.derivative_unknown[1] = static_cast<std::uint32_t>(dw);
    d.tie_row.assign(n + 2, none);
    d.tie_row[0] = static_cast<std::uint32_t>(n + 1);
    d.tie_row[1] = static_cast<std::uint32_t>(n + 2);
    d.index = 2;
    d.degrees_of_freedom = 1;
  }
  using Entries = std::vector<std::pair<std::size_t, double>>;
  static void add_row(LinearParts& to, const Entries& e, const Entries& a, double b = 0.0) {
    for (auto [rows, entries] : {std::pair{&to.e, &e}, std::pair{&to.a, &a}}) {
      rows->emplace_back();
      for (const auto& [column, value] : *entries) {
        rows->back().resize(std::max(rows->back().size(), column + 1), 0.0);
        rows->back()[column] = value;
      }
    }
    to.b.push_back(b);
  }
  static std::shared_ptr<const System> filled(LinearParts parts) {
    for (auto* rows : {&parts.e, &parts.a})
      for (auto& row : *rows) row.resize(parts.unknowns.size(), 0.0);
    return linear_system(std::move(parts));
  }
  /// A source for its systems as they are now.
  void supply() {
    d.system = filled(twice);
    if (is_differentiated) source.by_structure = std::make_shared<const DifferentiatedSystem>(d);
    system = filled(written);
    if (moved) system = std::make_shared<StartedSystem>(system, *moved);
    source.written = system;
  }
  detail::Reducer& reducer(IndexOptions index = {}) {
    supply();
    return made.emplace(source, configuration, system, detail::Reducer::Stretch{0.0, 1.0}, index,
                        ReduceOptions{});
  }
  LinearParts written, twice;
  DifferentiatedSystem d;
  bool is_differentiated = true;
  std::optional<StartValues> moved;
  StructureOf source;
  Configuration configuration;
  std::shared_ptr<const System> system;
  std::optional<detail::Reducer> made;
};

}  // namespace saltus::hybrid_test
