#include "hybrid/mode/unknown_pairing.hpp"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>

#include <saltus/system/unknown_name.hpp>

namespace saltus::detail {

UnknownPairing::UnknownPairing(const System& original, const System& integrated) {
  std::unordered_map<std::string, std::uint32_t> of_original, of_integrated, of_variable;
  for (std::uint32_t i = 0; i < original.size(); ++i)
    of_original.emplace(original.unknown_name(i), i);
  for (std::uint32_t i = 0; i < integrated.size(); ++i)
    of_integrated.emplace(integrated.unknown_name(i), i);
  const auto variables = integrated.variable_map().variables();
  for (std::uint32_t v = 0; v < variables.size(); ++v) of_variable.emplace(variables[v].name, v);
  const auto find = [](const auto& map, const std::string& key) {
    const auto found = map.find(key);
    return found == map.end() ? none : found->second;
  };
  for (std::uint32_t i = 0; i < original.size(); ++i) {
    const std::string name = original.unknown_name(i);
    integrated_of_.push_back(find(of_integrated, name));
    variable_of_.push_back(find(of_variable, name));
  }
  for (std::uint32_t i = 0; i < integrated.size(); ++i) {
    const std::string name = integrated.unknown_name(i);
    if (const std::uint32_t same = find(of_original, name); same != none) {
      origin_of_.push_back({same, 0});
      continue;
    }
    // The highest derivative that the original system has as an unknown, differentiated further.
    auto [variable, order] = variable_and_order(name);
    Origin origin;
    std::string lower = variable;
    for (std::uint32_t k = 0; k <= order; ++k) {
      if (const std::uint32_t same = find(of_original, lower); same != none)
        origin = {same, order - k};
      lower = "der(" + lower + ")";
    }
    origin_of_.push_back(origin);
  }
}

UnknownPairing::Point UnknownPairing::original(const System& integrated, Workspace& workspace,
                                               double t, std::span<const double> x,
                                               std::span<const double> xdot) const {
  Point point;
  std::vector<double> values;
  for (std::size_t i = 0; i < integrated_of_.size(); ++i) {
    if (const std::uint32_t at = integrated_of_[i]; at != none) {
      point.x.push_back(x[at]);
      point.xdot.push_back(xdot[at]);
      continue;
    }
    if (values.empty()) {
      values.resize(integrated.variable_map().variables().size());
      if (!integrated.variable_map().values(workspace, t, x, xdot, values))
        std::fill(values.begin(), values.end(), 0.0);
    }
    point.x.push_back(variable_of_[i] != none ? values[variable_of_[i]] : 0.0);
    point.xdot.push_back(0.0);
  }
  return point;
}

StartValues UnknownPairing::integrated(const System& integrated, const Restart& at) const {
  StartValues start = integrated.start_values();
  start.x.assign(origin_of_.size(), 0.0);
  start.xdot.assign(origin_of_.size(), 0.0);
  start.x_given.assign(origin_of_.size(), 0);
  const std::size_t n = at.x.size();
  std::vector<double> path = at.analysis ? at.analysis->path : std::vector<double>();
  if (path.empty()) {
    path = at.x;
    path.insert(path.end(), at.xdot.begin(), at.xdot.end());
  }
  // A coefficient of the series times a factorial is a derivative.
  const auto derivative = [&](const Origin& origin, std::uint32_t more) {
    const std::uint32_t order = origin.order + more;
    const std::size_t place = order * n + origin.unknown;
    double factorial = 1.0;
    for (std::uint32_t k = 2; k <= order; ++k) factorial *= k;
    return place < path.size() ? factorial * path[place] : 0.0;
  };
  for (std::size_t i = 0; i < origin_of_.size(); ++i) {
    if (origin_of_[i].unknown == none) continue;
    start.x[i] = derivative(origin_of_[i], 0);
    start.xdot[i] = derivative(origin_of_[i], 1);
    start.x_given[i] = origin_of_[i].order == 0 ? 1 : 0;
  }
  return start;
}

}  // namespace saltus::detail
