#include "instant.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include <saltus/core/text.hpp>

#include "uniqueness.hpp"
#include "units.hpp"

namespace saltus::detail {
namespace {

std::vector<std::uint32_t> members(const CoulombProblem& group) {
  std::vector<std::uint32_t> all;
  for (const CoulombContact& c : group.contacts) all.push_back(c.index);
  return all;
}

/// "'rod tip' slips forwards (acceleration 0, 3.5; force 2)": normal, tangential rate; normal force.
std::string describe(const InstantProblem& problem, const CoulombProblem& group,
                     const CoulombMotion& motion) {
  const std::size_t n = group.contacts.size();
  const auto rounded = [](double x) {
    char text[32];
    std::snprintf(text, sizeof text, "%.6g", x);
    return std::string(text);
  };
  std::string text;
  for (std::size_t i = 0; i < n; ++i) {
    const auto& unit = group.response.unit;
    text += (i == 0 ? "" : ", ") + quote(problem.laws[group.contacts[i].index].name) + " " +
            std::string(name(motion.status[i])) + " (" + problem.rate + " " +
            rounded(motion.a[i] / unit[i]);
    if (group.contacts[i].frictional) text += ", " + rounded(motion.a[n + i] / unit[n + i]);
    text += "; force " + rounded(motion.p[i] * unit[i]) + ")";
  }
  return text;
}

/// Contacts that may all stick have a motion (W positive semidefinite, f of a motion): M is copositive. So it is
/// those that slide, or restitution.
std::string cause_of_none(const InstantProblem& problem, const CoulombProblem& group) {
  std::vector<std::uint32_t> sliding;
  bool bounces = false;
  for (const CoulombContact& c : group.contacts) {
    if (c.slides != 0) sliding.push_back(c.index);
    bounces = bounces || problem.laws[c.index].restitution > 0.0;
  }
  if (!sliding.empty())
    return "; friction jams the sliding contacts " + names_of(problem.laws, sliding) +
           " (Painleve)";
  if (problem.needs_cause && bounces)
    return "; Newton's restitution asks for a rebound that friction locks";
  return {};
}

Failure no_motion(const InstantProblem& problem, const CoulombProblem& group, bool complete) {
  const std::size_t n = group.contacts.size();
  std::string why;
  for (std::size_t i = 0; i < n; ++i) {
    const CoulombContact& c = group.contacts[i];
    const std::string who = quote(problem.laws[c.index].name);
    const double unit = group.response.unit[i];
    const double share = c.frictional ? -c.slides * c.mu : 0.0;
    const double response = group.response.w(i, i) + share * group.response.w(i, n + i);
    if (c.slides != 0 && response < 0.0) {
      why += "; the normal " + std::string(problem.rate) + " falls with the normal force at " +
             who + " (by " + to_text(response / (unit * unit)) +
             ": W_NN - mu sign(v_T) W_NT, Painleve)";
    } else if (group.response.w(i, i) == 0.0 && group.response.f[i] < 0.0) {
      why += "; no force moves " + who + ", where bodies must separate";
    }
  }
  if (why.empty()) why = cause_of_none(problem, group);
  return {FailureCode::not_converged,
          (complete ? "no forces obey the laws of contacts "
                    : "no forces were found that obey the laws of contacts ") +
              names_of(problem.laws, members(group)) +
              (complete ? " (all combinations of open, stick and slip were tried)" : "") + why};
}

Failure several_motions(const InstantProblem& problem, const CoulombProblem& group,
                        const MotionsFound& found) {
  std::string text = "the motion of contacts " + names_of(problem.laws, members(group)) +
                     " is not unique: " + to_text(static_cast<int>(found.motions.size())) +
                     " obey their laws";
  constexpr std::size_t most_told = 4;
  for (std::size_t k = 0; k < found.motions.size() && k < most_told; ++k)
    text += "; (" + to_text(static_cast<int>(k + 1)) + ") " +
            describe(problem, group, found.motions[k]);
  return {FailureCode::not_certified, text};
}

struct GroupMotion {
  CoulombMotion motion;
  MotionVerdict verdict = MotionVerdict::proven;
};

/// Of two groups, or two answers: what is known of both.
MotionVerdict weaker(MotionVerdict a, MotionVerdict b) { return std::max(a, b); }

bool nothing_approaches(const CoulombProblem& group) {
  const auto& f = group.response.f;
  return std::all_of(f.begin(), f.begin() + static_cast<std::ptrdiff_t>(group.contacts.size()),
                     [](double v) { return v >= 0.0; });
}
/// Without forces.
CoulombMotion at_rest(const CoulombProblem& group) {
  const std::size_t n = group.contacts.size();
  const auto& f = group.response.f;
  CoulombMotion motion{std::vector<ContactStatus>(n, ContactStatus::open),
                       std::vector<double>(2 * n, 0.0), f};
  for (std::size_t i = 0; i < n; ++i) {
    if (f[i] > 0.0) continue;
    motion.status[i] = !group.contacts[i].frictional ? ContactStatus::closed
                       : f[n + i] == 0.0             ? ContactStatus::stick
                       : f[n + i] > 0.0              ? ContactStatus::slip_positive
                                                     : ContactStatus::slip_negative;
  }
  return motion;
}

/// Some contacts begin to slip, with mu_k. Others stick with more than that allows, and could begin to slip as well; or
/// one of several that begin to slip could stick.
template <class Coefficient>
bool is_choice(const CoulombProblem& group, const CoulombMotion& motion,
               const std::vector<bool>& begins, const Coefficient& mu) {
  constexpr double rounding = 1e-9;
  const std::size_t n = group.contacts.size();
  const auto n_begin = std::count(begins.begin(), begins.end(), true);
  if (n_begin == 0) return false;
  for (std::size_t i = 0; i < n; ++i) {
    if (motion.status[i] == ContactStatus::stick &&
        std::fabs(motion.p[n + i]) > (1.0 + rounding) * mu(i, false) * motion.p[i])
      return true;
  }
  for (std::size_t i = 0; i < n && n_begin > 1; ++i) {
    if (!begins[i]) continue;
    CoulombProblem other = group;
    other.contacts[i].slides = 0;
    other.contacts[i].mu = mu(i, true);
    for (const CoulombMotion& found : find_motions(other).motions) {
      std::vector<ContactStatus> expected = motion.status;
      expected[i] = ContactStatus::stick;
      if (found.status == expected) return true;
    }
  }
  return false;
}

/// Contacts that begin to slip change from mu_s to mu_k; see solve.hpp.
Result<GroupMotion> solve_group(const InstantProblem& problem, CoulombProblem group) {
  const std::size_t n = group.contacts.size();
  const auto& unit = group.response.unit;
  const auto mu = [&](std::size_t i, bool is_static) {
    const ContactLaw& law = problem.laws[group.contacts[i].index];
    return (is_static ? law.mu_static : law.mu_kinetic) * unit[i] / unit[n + i];
  };
  std::vector<bool> parted(n, false);
  const auto is_static = [&](std::size_t i) {
    return problem.with_static && group.contacts[i].may_stick() && !parted[i];
  };
  for (std::size_t i = 0; i < n; ++i) group.contacts[i].mu = mu(i, is_static(i));
  if (problem.needs_cause && nothing_approaches(group)) return GroupMotion{at_rest(group)};
  std::vector<bool> begins(n, false), came_back(n, false);
  GroupMotion result;
  for (;;) {
    MotionsFound found = find_motions(group);
    if (found.motions.empty()) return no_motion(problem, group, found.complete);
    if (found.motions.size() > 1) return several_motions(problem, group, found);
    if (!found.complete) result.verdict = weaker(result.verdict, MotionVerdict::not_disproved);
    result.motion = std::move(found.motions.front());
    bool changed = false;
    for (std::size_t i = 0; i < n; ++i) {
      CoulombContact& c = group.contacts[i];
      if (!is_static(i) || !slips(result.motion.status[i]) || mu(i, true) == mu(i, false)) continue;
      c.slides = result.motion.status[i] == ContactStatus::slip_positive ? 1 : -1;
      c.mu = mu(i, false);
      begins[i] = changed = true;
    }
    // What static friction would lift has no static friction if the kinetic one puts it down again.
    for (std::size_t i = 0; i < n && changed; ++i) {
      if (!is_static(i) || result.motion.status[i] != ContactStatus::open) continue;
      parted[i] = true;
      group.contacts[i].mu = mu(i, false);
    }
    for (std::size_t i = 0; i < n && !changed; ++i) {
      CoulombContact& c = group.contacts[i];
      const double force = std::fabs(result.motion.p[i]);
      if (!begins[i] || c.slides == 0 || c.slides * result.motion.a[n + i] >= -1e-11 * force)
        continue;
      if (came_back[i]) {
        return Failure{FailureCode::not_converged,
                       "contact " + quote(problem.laws[c.index].name) +
                           " neither sticks with mu_static nor slips with mu_kinetic: " +
                           describe(problem, group, result.motion)};
      }
      c.slides = 0;
      c.mu = mu(i, true);
      came_back[i] = changed = true;
      begins[i] = false;
    }
    if (changed) continue;
    if (is_choice(group, result.motion, begins, mu))
      result.verdict = weaker(result.verdict, MotionVerdict::chosen);
    return result;
  }
}

CoulombProblem group_of(const InstantProblem& problem, const WithoutJoints& rest,
                        std::span<const std::uint32_t> which) {
  CoulombProblem group;
  group.response = part_of(rest.response, which);
  for (const std::uint32_t at : which) {
    const std::uint32_t contact = rest.contacts[at];
    const ContactLaw& law = problem.laws[contact];
    group.contacts.push_back(
        {contact, law.frictional, 0.0, law.frictional ? problem.slides[contact] : 0});
  }
  return group;
}

/// Coefficients of `from`, of contacts `which` in units of `part`, as coefficients of all contacts in units of `whole`.
RedundantRow lifted(const RedundantRow& from, const ScaledResponse& part,
                    const ScaledResponse& whole, std::span<const std::uint32_t> which) {
  const std::size_t n = whole.n_contacts(), m = which.size();
  const auto row = [&](std::size_t i) { return i < m ? which[i] : n + which[i - m]; };
  RedundantRow to{static_cast<std::uint32_t>(row(from.row)), std::vector<double>(2 * n, 0.0)};
  for (std::size_t i = 0; i < 2 * m; ++i)
    to.coefficients[row(i)] = from.coefficients[i] / part.unit[i] * whole.unit[row(i)];
  return to;
}

/// Contacts first, then joints: where both together depend on each other more than the digits of W allow.
DecidedForces joints_last(const ScaledResponse& response, const WithoutJoints& rest,
                          std::span<const DecidedContact> decided) {
  const std::size_t n = decided.size(), m = rest.contacts.size();
  std::vector<DecidedContact> contacts, joints;
  for (const std::uint32_t i : rest.contacts) contacts.push_back(decided[i]);
  for (const std::uint32_t i : rest.joints) joints.push_back(decided[i]);
  const DecidedForces first = solve_decided(rest.response, contacts);
  const ScaledResponse of_joints = part_of(response, rest.joints);
  const DecidedForces last = solve_decided(of_joints, joints);
  DecidedForces all;
  all.feasible = first.feasible;
  all.p.assign(2 * n, 0.0);
  std::vector<double> p(2 * m);
  for (std::size_t i = 0; i < 2 * m; ++i) {
    const std::size_t row = i < m ? rest.contacts[i] : n + rest.contacts[i - m];
    p[i] = all.p[row] = first.p[i] * rest.response.unit[i] / response.unit[row];
  }
  for (std::size_t l = 0; l < rest.joints.size(); ++l) {
    double& force = all.p[rest.joints[l]] = rest.balance(l, 0);
    for (std::size_t i = 0; i < 2 * m; ++i) force += rest.answer(l, i) * p[i];
  }
  all.a = accelerations(response, all.p);
  for (std::size_t i = 0; i < n; ++i) {
    if (decided[i].status != ContactStatus::open) all.a[i] = 0.0;
    if (decided[i].status == ContactStatus::stick) all.a[n + i] = 0.0;
  }
  for (const RedundantRow& row : first.redundant)
    all.redundant.push_back(lifted(row, rest.response, response, rest.contacts));
  for (const RedundantRow& row : last.redundant)
    all.redundant.push_back(lifted(row, of_joints, response, rest.joints));
  return all;
}

/// All contacts and joints at once, as decided.
Result<ContactSolution> finish(const InstantProblem& problem, const ScaledResponse& response,
                               const WithoutJoints& rest, std::span<const ContactStatus> status,
                               MotionVerdict verdict) {
  const std::size_t n = problem.laws.size();
  std::vector<DecidedContact> decided(n);
  std::vector<bool> slides(n);
  for (std::size_t i = 0; i < n; ++i) {
    const ContactLaw& law = problem.laws[i];
    const double to_scaled = response.unit[i] / response.unit[n + i];
    decided[i] = {status[i], law.bilateral, law.mu_kinetic * to_scaled,
                  (problem.with_static ? law.mu_static : law.mu_kinetic) * to_scaled};
    slides[i] = problem.slides[i] != 0;
  }
  DecidedForces forces = solve_decided(response, decided);
  ContactSolution solution;
  solution.uniqueness = verdict;
  solution.residual = law_violation(response, decided, slides, forces.p);
  if (!rest.joints.empty() && !(forces.feasible && solution.residual <= contact_tolerance)) {
    forces = joints_last(response, rest, decided);
    solution.residual = law_violation(response, decided, slides, forces.p);
  }
  if (!forces.feasible || !(solution.residual <= contact_tolerance)) {
    std::vector<std::uint32_t> all(n);
    for (std::size_t i = 0; i < n; ++i) all[i] = static_cast<std::uint32_t>(i);
    return Failure{FailureCode::not_certified,
                   "forces of contacts " + names_of(problem.laws, all) + " violate their laws by " +
                       to_text(solution.residual) +
                       " of the largest term, as they almost depend on each other (allowed: " +
                       to_text(contact_tolerance) + ")"};
  }
  for (std::size_t i = 0; i < n; ++i) {
    ContactState state;
    state.status = status[i];
    state.normal_force = forces.p[i] * response.unit[i];
    if (!problem.laws[i].bilateral) state.normal_force = std::fmax(state.normal_force, 0.0);
    state.tangential_force = forces.p[n + i] * response.unit[n + i];
    state.normal_acceleration = forces.a[i] / response.unit[i];
    state.tangential_acceleration = forces.a[n + i] / response.unit[n + i];
    solution.contacts.push_back(state);
  }
  for (RedundantRow& row : forces.redundant) {
    double largest = 0.0;
    for (std::size_t j = 0; j < 2 * n; ++j) {
      row.coefficients[j] /= response.unit[j];
      largest = std::fmax(largest, std::fabs(row.coefficients[j]));
    }
    for (double& c : row.coefficients) c /= largest;
  }
  solution.redundant = std::move(forces.redundant);
  return solution;
}

/// Velocities a moment later, with the forces that act without contacts: impulses that vanish with the moment are
/// forces, and there are none; what is left are impulses that the slip itself causes.
Result<GroupMotion> jam_group(const InstantProblem& velocities, CoulombProblem group,
                              const CoulombProblem& accelerating) {
  constexpr double moment = 1e-7;  // of the time in which slip and free accelerations are alike
  const auto largest = [](const std::vector<double>& f) {
    double most = 0.0;
    for (const double v : f) most = std::fmax(most, std::fabs(v));
    return most;
  };
  const double rate = largest(accelerating.response.f);
  const double h = rate > 0.0 ? moment * largest(group.response.f) / rate : 0.0;
  for (std::size_t i = 0; i < group.response.f.size(); ++i)
    group.response.f[i] += h * accelerating.response.f[i];
  return solve_group(velocities, std::move(group));
}

}  // namespace

std::string names_of(std::span<const ContactLaw> laws, std::span<const std::uint32_t> contacts) {
  std::vector<std::string> names;
  for (const std::uint32_t contact : contacts) names.push_back(quote(laws[contact].name));
  return listed(names);
}

Result<ContactSolution> solve_instant(const InstantProblem& problem) {
  ScaledResponse response = scaled(problem);
  const Result<WithoutJoints> rest = without_joints(problem, response);
  if (!rest) return rest.failure();
  std::vector<ContactStatus> status(problem.laws.size(), ContactStatus::closed);
  MotionVerdict verdict = MotionVerdict::proven;
  for (const auto& which : groups_of(rest->response)) {
    const CoulombProblem group = group_of(problem, *rest, which);
    const Result<GroupMotion> found = solve_group(problem, group);
    if (!found) return found.failure();
    verdict = weaker(verdict, found->verdict);
    for (std::size_t i = 0; i < which.size(); ++i)
      status[group.contacts[i].index] = found->motion.status[i];
  }
  return finish(problem, response, *rest, status, verdict);
}

Result<ContactSolution> solve_jam(const InstantProblem& accelerations,
                                  const InstantProblem& velocities) {
  ScaledResponse response = scaled(accelerations), of_velocities = scaled(velocities);
  const Result<WithoutJoints> rest = without_joints(accelerations, response);
  if (!rest) return rest.failure();
  const Result<WithoutJoints> moving = without_joints(velocities, of_velocities);
  if (!moving) return moving.failure();
  std::vector<ContactStatus> status(accelerations.laws.size(), ContactStatus::closed);
  MotionVerdict verdict = MotionVerdict::proven;
  for (const auto& which : groups_of(rest->response)) {
    const CoulombProblem group = group_of(accelerations, *rest, which);
    const CoulombProblem slipping = group_of(velocities, *moving, which);
    const Result<GroupMotion> forces = solve_group(accelerations, group);
    CoulombMotion motion = at_rest(slipping);
    if (!forces) {
      if (forces.failure().code != FailureCode::not_converged) return forces.failure();
      const Result<GroupMotion> jammed = jam_group(velocities, slipping, group);
      if (!jammed) return jammed.failure();
      verdict = weaker(verdict, jammed->verdict);
      motion = jammed->motion;
    }
    for (std::size_t i = 0; i < which.size(); ++i)
      status[group.contacts[i].index] = motion.status[i];
  }
  return finish(velocities, of_velocities, *moving, status, verdict);
}

std::vector<std::vector<std::uint32_t>> coupled_groups(const InstantProblem& problem) {
  ScaledResponse response = scaled(problem);
  const Result<WithoutJoints> rest = without_joints(problem, response);
  if (!rest) return {};
  auto groups = groups_of(rest->response);
  for (auto& group : groups) {
    for (std::uint32_t& at : group) at = rest->contacts[at];
  }
  return groups;
}

}  // namespace saltus::detail
