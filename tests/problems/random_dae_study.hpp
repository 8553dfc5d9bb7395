// Many random DAEs: how often the analysis is right, wrong, or refuses, and how often its control is.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <saltus/lower.hpp>

#include "problems/random_daes.hpp"
#include "problems/unscaled_ranks.hpp"

namespace saltus::problems {

struct Tally {
  std::uint64_t right = 0, wrong = 0, refused = 0;

  std::uint64_t total() const { return right + wrong + refused; }
  double percent_refused() const {
    return total() == 0 ? 0.0 : 100.0 * static_cast<double>(refused) / static_cast<double>(total());
  }
  void count(const std::optional<CharacteristicValues>& found, const CharacteristicValues& truth) {
    ++(!found ? refused : *found == truth ? right : wrong);
  }
  std::string text() const {
    return std::to_string(right) + " right, " + std::to_string(wrong) + " wrong, " +
           std::to_string(refused) + " refused";
  }
};

/// What the control takes as zero, over the largest pivot: whichever one chooses, it errs.
inline constexpr std::array<double, 3> control_tolerances = {1e-13, 1e-11, 1e-9};

struct RandomDaeStudy {
  Tally analysis;
  std::array<Tally, control_tolerances.size()> control;
  /// One line for each case that was not right, in the order of their seeds.
  std::string complaints;

  std::uint64_t least_wrong_of_control() const {
    std::uint64_t least = control[0].wrong;
    for (const Tally& t : control) least = std::min(least, t.wrong);
    return least;
  }
};

namespace random_dae_detail {

struct CaseOutcome {
  CharacteristicValues truth;
  std::optional<CharacteristicValues> found;
  std::array<std::optional<CharacteristicValues>, control_tolerances.size()> control;
  std::string complaint;
};

inline CaseOutcome study_case(std::uint64_t seed, const RandomDaeOptions& options) {
  constexpr int max_level = 5;
  const RandomDae dae = RandomDaeWriter(seed, options).write();
  const auto system = *compile_model(dae.model->build())->system({});
  auto workspace = system->workspace();
  const auto found = analyze_index(*system, *workspace, dae.t, system->start_values(), {});
  CaseOutcome outcome;
  outcome.truth = dae.truth;
  if (found) outcome.found = found->values;
  if (!found || found->values != dae.truth) {
    outcome.complaint = "seed " + std::to_string(seed) + ", " + dae.text + ": " +
                        (found ? to_text(found->values) : found.failure().message) + "\n";
  }
  // Without a consistent point ranks mean something only where they are the same at all points.
  if (!found && options.nonlinear) return outcome;
  const UnscaledRanks control(*system, *workspace, dae.t,
                              found ? found->path : std::vector<double>{}, max_level);
  for (std::size_t k = 0; k < control_tolerances.size(); ++k) {
    outcome.control[k] = control.values(control_tolerances[k]);
  }
  return outcome;
}

}  // namespace random_dae_detail

/// Seeds first_seed, first_seed + 1, …; the outcome does not depend on the number of threads.
inline RandomDaeStudy study_random_daes(std::uint64_t first_seed, std::uint64_t n_cases,
                                        const RandomDaeOptions& options, unsigned n_threads = 1) {
  std::vector<random_dae_detail::CaseOutcome> outcomes(n_cases);
  std::atomic<std::uint64_t> next{0};
  const auto work = [&] {
    for (std::uint64_t i = next++; i < n_cases; i = next++) {
      outcomes[i] = random_dae_detail::study_case(first_seed + i, options);
    }
  };
  std::vector<std::thread> threads;
  for (unsigned k = 1; k < n_threads; ++k) threads.emplace_back(work);
  work();
  for (std::thread& t : threads) t.join();

  RandomDaeStudy study;
  for (const auto& outcome : outcomes) {
    study.analysis.count(outcome.found, outcome.truth);
    for (std::size_t k = 0; k < control_tolerances.size(); ++k) {
      study.control[k].count(outcome.control[k], outcome.truth);
    }
    study.complaints += outcome.complaint;
  }
  return study;
}

}  // namespace saltus::problems
