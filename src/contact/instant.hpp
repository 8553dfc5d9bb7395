// Contacts at one instant, on accelerations or on impulses: joints, units, independent groups, static friction.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <saltus/contact/solve.hpp>

#include "coulomb.hpp"

namespace saltus::detail {

struct InstantProblem {
  std::span<const ContactLaw> laws;
  const Matrix& response;
  std::vector<double> free;
  /// Signs of tangential velocities.
  std::vector<int> slides;
  /// Those that stick have mu_static.
  bool with_static = true;
  /// Where nothing approaches nothing happens, even if forces that balance each other could change the motion.
  bool needs_cause = false;
  /// What rows are, for messages: "acceleration" or "velocity".
  const char* rate = "acceleration";
};

/// The problem on accelerations.
InstantProblem forces_asked(const ContactProblem& problem);

Result<ContactSolution> solve_instant(const InstantProblem& problem);

/// Impulses at contacts between which no forces exist, from velocities before; nothing happens at the others.
Result<ContactSolution> solve_jam(const InstantProblem& accelerations,
                                  const InstantProblem& velocities);

/// Groups of contacts whose forces do not act on each other, joints left out.
std::vector<std::vector<std::uint32_t>> coupled_groups(const InstantProblem& problem);

/// "'a', 'b' and 'c'"
std::string names_of(std::span<const ContactLaw> laws, std::span<const std::uint32_t> contacts);

/// Nothing is wrong with sizes and numbers.
Result<void> check_numbers(std::span<const ContactLaw> laws, const Matrix& response,
                           std::span<const double> free, const char* rate);

}  // namespace saltus::detail
