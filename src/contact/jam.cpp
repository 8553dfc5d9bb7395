#include <algorithm>

#include <saltus/contact/solve.hpp>

#include "instant.hpp"

namespace saltus {

Result<ContactSolution> contact_jam(const ContactProblem& problem) {
  const std::size_t n = problem.laws.size();
  SALTUS_ASSERT(problem.slip_velocity.size() == n);
  const detail::InstantProblem accelerations = detail::forces_asked(problem);
  detail::InstantProblem velocities{problem.laws,
                                    problem.response,
                                    std::vector<double>(2 * n, 0.0),
                                    std::vector<int>(n, 0),
                                    false,
                                    false,
                                    "velocity"};
  for (std::size_t i = 0; i < n; ++i) {
    if (problem.laws[i].frictional) velocities.free[n + i] = problem.slip_velocity[i];
  }
  for (const detail::InstantProblem* of :
       std::initializer_list<const detail::InstantProblem*>{&accelerations, &velocities}) {
    if (auto checked = detail::check_numbers(problem.laws, problem.response, of->free, of->rate);
        !checked)
      return checked.failure();
  }
  Result<ContactSolution> jam = detail::solve_jam(accelerations, velocities);
  if (!jam) return jam;
  const bool acts = std::any_of(jam->contacts.begin(), jam->contacts.end(),
                                [](const ContactState& c) { return c.normal_force > 0.0; });
  if (!acts)
    return Failure{FailureCode::not_converged, "no impulse stops the sliding contacts either"};
  return jam;
}

}  // namespace saltus
