// Many random pencils restarted from left limits that are not theirs: how often jump and impulses are
// right, wrong, or refused, and why.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include <saltus/initialize.hpp>
#include <saltus/lower.hpp>

#include "problems/random_pencils.hpp"

namespace saltus::problems {

struct RestartStudy {
  std::uint64_t right = 0, wrong = 0, refused = 0;
  std::map<std::string, std::uint64_t> reasons;  // of refusals
  double largest_error = 0.0;                    // of those that are right
  /// One line for each case that was not right.
  std::string complaints;

  std::uint64_t total() const { return right + wrong + refused; }
  double percent_refused() const {
    return total() == 0 ? 0.0 : 100.0 * static_cast<double>(refused) / static_cast<double>(total());
  }
  std::string summary() const {
    std::string line = std::to_string(right) + " right, " + std::to_string(wrong) + " wrong, " +
                       std::to_string(refused) + " refused";
    for (const auto& [reason, count] : reasons) {
      line += "; " + std::to_string(count) + " " + reason;
    }
    return line;
  }
};

/// The part of a message that does not depend on the case.
inline std::string reason_of(const Failure& failure) {
  static constexpr const char* known[] = {"has no limit",
                                          "is known up to",
                                          "the impulses leave",
                                          "a step across the instant",
                                          "ranks",
                                          "no index was found",
                                          "no consistent values",
                                          "contradict",
                                          "nearby",
                                          "the characteristic values",
                                          "has to be reduced"};
  for (const char* part : known) {
    if (failure.message.find(part) != std::string::npos) return part;
  }
  return failure.message;
}

/// (mu, d, a, v, u); a system of index 1 is started without finding them.
inline bool values_are_right(const RandomPencil& pencil, const Restart& found) {
  if (!found.analysis) return pencil.index == 1;
  const auto d = static_cast<std::uint32_t>(pencil.n_finite);
  return found.analysis->values ==
         CharacteristicValues{pencil.index - 1, d, static_cast<std::uint32_t>(pencil.n) - d, 0, 0};
}

/// The largest error of values, and of impulses of each order, over the largest of these.
inline double restart_error(const RandomPencil& pencil, const Restart& found) {
  const RandomPencil::Vector jump = pencil.jump();
  const double scale =
      std::max({1.0, jump.cwiseAbs().maxCoeff(), pencil.x_minus.cwiseAbs().maxCoeff()});
  double error = 0.0;
  for (Eigen::Index i = 0; i < pencil.n; ++i) {
    error = std::max(error, std::abs(found.x[static_cast<std::size_t>(i)] - jump[i]) / scale);
  }
  for (int order = 0; order < std::max(pencil.index, 1); ++order) {
    RandomPencil::Vector left = pencil.impulse(order);
    const double size = std::max(1.0, left.cwiseAbs().maxCoeff());
    for (const Impulse& one : found.impulses) {
      if (one.order == order) left[static_cast<Eigen::Index>(one.unknown)] -= one.strength;
    }
    error = std::max(error, left.cwiseAbs().maxCoeff() / size);
  }
  for (const Impulse& one : found.impulses) {
    if (one.order >= pencil.index) error = std::numeric_limits<double>::infinity();
  }
  return error;
}

/// Seeds first_seed, first_seed + 1, …. `error_of` says how far off a restart is, for controls that must
/// not be right.
template <class ErrorOf>
RestartStudy study_random_pencils(std::uint64_t first_seed, std::uint64_t n_cases,
                                  const RandomPencilOptions& options,
                                  const RestartOptions& restart_options, bool with_history,
                                  ErrorOf&& error_of) {
  constexpr double right = 1e-6;
  RestartStudy study;
  for (std::uint64_t seed = first_seed; seed < first_seed + n_cases; ++seed) {
    const RandomPencil pencil(seed, options);
    Model m("pencil");
    pencil.write(m);
    const auto system = *compile_model(m.build())->system({});
    auto workspace = system->workspace();
    StartValues left = system->start_values();
    RestartOptions asked = restart_options;
    if (with_history) asked.history.assign(system->size(), 1e-9);
    const auto found = restart(*system, *workspace, pencil.t0, left, asked);
    const std::string name = "seed " + std::to_string(seed) + ", " + pencil.text + ", condition " +
                             std::to_string(pencil.condition) + ": ";
    if (!found) {
      ++study.refused;
      ++study.reasons[reason_of(found.failure())];
      study.complaints += name + found.failure().message + "\n";
      continue;
    }
    const double error = error_of(pencil, *found);
    if (error <= right && values_are_right(pencil, *found)) {
      ++study.right;
      study.largest_error = std::max(study.largest_error, error);
    } else {
      ++study.wrong;
      study.complaints += name + "off by " + std::to_string(error) + "\n";
    }
  }
  return study;
}

}  // namespace saltus::problems
