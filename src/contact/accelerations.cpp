#include <cmath>

#include <saltus/contact/solve.hpp>
#include <saltus/core/text.hpp>

#include "instant.hpp"

namespace saltus {
namespace detail {

Result<void> check_numbers(std::span<const ContactLaw> laws, const Matrix& response,
                           std::span<const double> free, const char* rate) {
  const std::size_t n = laws.size();
  SALTUS_ASSERT(response.n_rows == 2 * n && response.n_cols == 2 * n && free.size() == 2 * n);
  for (const ContactLaw& law : laws) validate(law);
  for (std::size_t i = 0; i < 2 * n; ++i) {
    if (i >= n && !laws[i - n].frictional) continue;
    bool finite = std::isfinite(free[i]);
    for (std::size_t j = 0; j < 2 * n; ++j)
      finite = finite && (std::isfinite(response(i, j)) || (j >= n && !laws[j - n].frictional));
    if (!finite) {
      return Failure{FailureCode::not_finite, "the " + std::string(rate) + " of contact " +
                                                  quote(laws[i % n].name) + " is not finite"};
    }
  }
  return {};
}

InstantProblem forces_asked(const ContactProblem& problem) {
  const std::size_t n = problem.laws.size();
  SALTUS_ASSERT(problem.slip_velocity.empty() || problem.slip_velocity.size() == n);
  InstantProblem instant{problem.laws,
                         problem.response,
                         {problem.free.begin(), problem.free.end()},
                         std::vector<int>(n, 0)};
  for (std::size_t i = 0; i < n && !problem.slip_velocity.empty(); ++i) {
    const double v = problem.laws[i].frictional ? problem.slip_velocity[i] : 0.0;
    instant.slides[i] = v > 0.0 ? 1 : v < 0.0 ? -1 : 0;
  }
  return instant;
}

}  // namespace detail

void validate(const ContactLaw& law) {
  const std::string who = "contact " + quote(law.name);
  if (law.bilateral && law.frictional)
    throw ModelError(who, "a joint cannot have friction: use two contacts that face each other");
  if (!(law.mu_kinetic >= 0.0) || !std::isfinite(law.mu_static))
    throw ModelError(who, "mu_kinetic and mu_static must be finite and not negative");
  if (law.mu_static < law.mu_kinetic)
    throw ModelError(who, "mu_static must be at least mu_kinetic");
  if (!(law.restitution >= 0.0 && law.restitution <= 1.0))
    throw ModelError(who, "restitution must be between 0 and 1");
}

Result<ContactSolution> contact_accelerations(const ContactProblem& problem) {
  if (auto checked =
          detail::check_numbers(problem.laws, problem.response, problem.free, "acceleration");
      !checked) {
    return checked.failure();
  }
  return detail::solve_instant(detail::forces_asked(problem));
}

}  // namespace saltus
