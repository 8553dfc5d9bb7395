#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include <saltus/contact/solve.hpp>
#include <saltus/core/text.hpp>

#include "instant.hpp"

namespace saltus {
namespace {

using Velocities = std::vector<double>;

/// Impacts of some of the contacts (joints among them) from velocities v of all.
class Impacts {
 public:
  Impacts(std::span<const ContactLaw> laws, const Matrix& response)
      : laws_(laws), w_(response), n_(laws.size()) {}

  std::size_t n_contacts() const { return n_; }
  const ContactLaw& law(std::size_t i) const { return laws_[i]; }
  std::span<const ContactLaw> laws() const { return laws_; }

  /// Velocities of contacts have different units; in these they are comparable (squares are energies).
  double unit(std::size_t row) const {
    return w_(row, row) > 0.0 ? 1.0 / std::sqrt(w_(row, row)) : 0.0;
  }
  double largest(const Velocities& v) const {
    double most = 0.0;
    for (std::size_t i = 0; i < v.size(); ++i) {
      if (matters(i)) most = std::fmax(most, unit(i) * std::fabs(v[i]));
    }
    return most;
  }
  bool matters(std::size_t row) const { return row < n_ || laws_[row - n_].frictional; }

  /// Newton's and Coulomb's law for `which` together.
  Result<ContactSolution> together(std::span<const std::uint32_t> which,
                                   const Velocities& v) const {
    const std::size_t m = which.size();
    std::vector<ContactLaw> laws(m);
    Matrix w(static_cast<std::uint32_t>(2 * m), static_cast<std::uint32_t>(2 * m));
    const auto row = [&](std::size_t i) { return i < m ? which[i] : n_ + which[i - m]; };
    std::vector<double> before(2 * m), free(2 * m), bounce(m, 0.0);
    for (std::size_t i = 0; i < 2 * m; ++i) {
      before[i] = free[i] = matters(row(i)) ? v[row(i)] : 0.0;
      for (std::size_t j = 0; j < 2 * m; ++j) w(i, j) = w_(row(i), row(j));
    }
    for (std::size_t i = 0; i < m; ++i) {
      laws[i] = laws_[which[i]];
      if (laws[i].bilateral || !(before[i] < 0.0)) continue;
      bounce[i] = -laws[i].restitution * before[i];
      free[i] -= bounce[i];
    }
    detail::InstantProblem instant{laws, w, free, std::vector<int>(m, 0), false, true, "velocity"};
    Result<ContactSolution> solution = detail::solve_instant(instant);
    if (!solution) return solution;
    for (std::size_t i = 0; i < m; ++i) solution->contacts[i].normal_acceleration += bounce[i];
    if (auto energy = energy_falls(laws, before, *solution); !energy) return energy.failure();
    return solution;
  }

  void apply(std::span<const std::uint32_t> which, const ContactSolution& solution, Velocities& v,
             std::vector<double>& impulse) const {
    for (std::size_t k = 0; k < which.size(); ++k) {
      const ContactState& c = solution.contacts[k];
      impulse[which[k]] += c.normal_force;
      impulse[n_ + which[k]] += c.tangential_force;
      for (std::size_t i = 0; i < v.size(); ++i) {
        if (!matters(i)) continue;
        v[i] += w_(i, which[k]) * c.normal_force;
        if (laws_[which[k]].frictional) v[i] += w_(i, n_ + which[k]) * c.tangential_force;
      }
    }
    for (std::size_t k = 0; k < which.size(); ++k) {
      v[which[k]] = solution.contacts[k].normal_acceleration;
      if (laws_[which[k]].frictional)
        v[n_ + which[k]] = solution.contacts[k].tangential_acceleration;
    }
  }

 private:
  /// The change of kinetic energy is P . (v+ + v-) / 2.
  static Result<void> energy_falls(std::span<const ContactLaw> laws, std::span<const double> before,
                                   const ContactSolution& solution) {
    const std::size_t m = laws.size();
    double change = 0.0, size = 0.0;
    std::vector<std::uint32_t> impacts;
    for (std::size_t i = 0; i < m; ++i) {
      const ContactState& c = solution.contacts[i];
      const double terms[] = {c.normal_force * before[i], c.normal_force * c.normal_acceleration,
                              c.tangential_force * before[m + i],
                              c.tangential_force * c.tangential_acceleration};
      for (const double term : terms) change += 0.5 * term, size += std::fabs(term);
      if (c.normal_force > 0.0 && !laws[i].bilateral)
        impacts.push_back(static_cast<std::uint32_t>(i));
    }
    if (change <= 1e-10 * size) return {};  // what the law may be violated by
    return Failure{FailureCode::not_certified,
                   "Newton's restitution and friction at contacts " +
                       detail::names_of(laws, impacts) + " would create energy: it grows by " +
                       to_text(change) +
                       " (Kane's paradox): use a smaller restitution or friction"};
  }

  std::span<const ContactLaw> laws_;
  const Matrix& w_;
  std::size_t n_;
};

enum class ImpactOrder : std::uint8_t { fastest_first, last_first };

struct ImpactSequence {
  Velocities v;
  std::vector<double> impulse;
  std::uint32_t n_impacts = 0;
};

Result<ImpactSequence> one_after_another(const Impacts& impacts, const Velocities& before,
                                         ImpactOrder order) {
  const std::size_t n = impacts.n_contacts();
  ImpactSequence s{before, std::vector<double>(2 * n, 0.0)};
  std::vector<std::uint32_t> joints;
  for (std::size_t i = 0; i < n; ++i) {
    if (impacts.law(i).bilateral) joints.push_back(static_cast<std::uint32_t>(i));
  }
  const auto strike = [&](const std::vector<std::uint32_t>& which) -> Result<void> {
    const Result<ContactSolution> one = impacts.together(which, s.v);
    if (!one) return one.failure();
    impacts.apply(which, *one, s.v, s.impulse);
    return {};
  };
  if (!joints.empty()) {
    if (auto done = strike(joints); !done) return done.failure();
  }
  // Sequences that do not end (e < 1) come to rest geometrically.
  const double rest = 1e-13 * impacts.largest(before);
  const std::uint32_t limit = 2000 + 500 * static_cast<std::uint32_t>(n);
  for (;; ++s.n_impacts) {
    std::size_t next = n;
    double fastest = rest;
    for (std::size_t i = 0; i < n; ++i) {
      const double approach = -impacts.unit(i) * s.v[i];
      if (impacts.law(i).bilateral || !(approach > fastest)) continue;
      next = i;
      if (order == ImpactOrder::fastest_first) fastest = approach;
    }
    if (next == n) return s;
    if (s.n_impacts == limit) {
      return Failure{
          FailureCode::limit_reached,
          "single impacts one after another do not end after " + to_text(static_cast<int>(limit))};
    }
    std::vector<std::uint32_t> which = joints;
    which.push_back(static_cast<std::uint32_t>(next));
    if (auto done = strike(which); !done) return done.failure();
  }
}

ContactSolution solution_of(const Impacts& impacts, const ImpactSequence& s) {
  const std::size_t n = impacts.n_contacts();
  ContactSolution solution;
  const double rest = 1e-12 * impacts.largest(s.v);
  for (std::size_t i = 0; i < n; ++i) {
    ContactState c;
    c.normal_force = s.impulse[i];
    c.tangential_force = s.impulse[n + i];
    c.normal_acceleration = s.v[i];
    if (impacts.law(i).frictional) c.tangential_acceleration = s.v[n + i];
    if (c.normal_force != 0.0 || impacts.unit(i) * std::fabs(s.v[i]) <= rest) {
      c.status = ContactStatus::closed;
      if (impacts.law(i).frictional) {
        c.status = std::fabs(s.v[n + i]) * impacts.unit(n + i) <= rest ? ContactStatus::stick
                   : s.v[n + i] > 0.0 ? ContactStatus::slip_positive
                                      : ContactStatus::slip_negative;
      }
    }
    if (impacts.law(i).bilateral) c.status = ContactStatus::closed;
    // of single impacts the laws were checked one by one; here: none approaches
    if (!impacts.law(i).bilateral && s.v[i] < 0.0)
      solution.residual =
          std::fmax(solution.residual, -impacts.unit(i) * s.v[i] / impacts.largest(s.v));
    solution.contacts.push_back(c);
  }
  return solution;
}

/// Groups in which several impacts act on each other, with restitution.
std::vector<std::uint32_t> in_doubt(const Impacts& impacts, const ContactProblem& problem,
                                    const Velocities& before, const ContactSolution& solution) {
  detail::InstantProblem instant{
      problem.laws, problem.response, before, std::vector<int>(before.size() / 2, 0), false,
      true,         "velocity"};
  std::vector<std::uint32_t> doubtful;
  for (const auto& group : detail::coupled_groups(instant)) {
    std::vector<std::uint32_t> takes_part;
    bool bounces = false;
    for (const std::uint32_t i : group) {
      if (!(solution.contacts[i].normal_force > 0.0) && !(before[i] < 0.0)) continue;
      takes_part.push_back(i);
      bounces = bounces || impacts.law(i).restitution > 0.0;
    }
    if (bounces && takes_part.size() > 1)
      doubtful.insert(doubtful.end(), takes_part.begin(), takes_part.end());
  }
  return doubtful;
}

std::string outcome_text(const Impacts& impacts, std::span<const std::uint32_t> which,
                         const Velocities& v) {
  std::string text;
  for (const std::uint32_t i : which) {
    char number[32];
    std::snprintf(number, sizeof number, "%.6g", v[i]);
    text += (text.empty() ? "" : ", ") + quote(impacts.law(i).name) + " " + number;
  }
  return text;
}

/// Nothing if single impacts one after another, in two orders, end like all at once.
Result<void> refuse_if_ambiguous(const Impacts& impacts, std::span<const std::uint32_t> doubtful,
                                 const Velocities& before, const Velocities& at_once) {
  const std::string who = "impacts at contacts " + detail::names_of(impacts.laws(), doubtful);
  const char* const advice = " (ImpactLaw chooses)";
  std::string outcomes =
      "; normal velocities afterwards, all at once: " + outcome_text(impacts, doubtful, at_once);
  bool same = true;
  for (const ImpactOrder order : {ImpactOrder::fastest_first, ImpactOrder::last_first}) {
    const Result<ImpactSequence> sequence = one_after_another(impacts, before, order);
    outcomes += order == ImpactOrder::fastest_first ? "; one by one, the fastest first: "
                                                    : "; one by one, the last first: ";
    outcomes +=
        sequence ? outcome_text(impacts, doubtful, sequence->v) : sequence.failure().message;
    same = same && sequence.has_value();
    for (std::size_t i = 0; i < before.size() && same; ++i) {
      if (!impacts.matters(i)) continue;
      same = impacts.unit(i) * std::fabs(sequence->v[i] - at_once[i]) <=
             1e-9 * impacts.largest(before);
    }
  }
  if (same) return {};
  return Failure{FailureCode::not_certified, who + " have no unique outcome" + advice + outcomes};
}

}  // namespace

Result<ContactSolution> contact_impulses(const ContactProblem& problem,
                                         std::span<const double> velocity_before, ImpactLaw law) {
  if (auto checked =
          detail::check_numbers(problem.laws, problem.response, velocity_before, "velocity");
      !checked) {
    return checked.failure();
  }
  const std::size_t n = problem.laws.size();
  const Impacts impacts(problem.laws, problem.response);
  Velocities before(velocity_before.begin(), velocity_before.end());
  // roundings of a projection are no approach
  const double negligible = 1e-14 * impacts.largest(before);
  for (std::size_t i = 0; i < n; ++i) {
    if (impacts.unit(i) * std::fabs(before[i]) <= negligible) before[i] = 0.0;
  }
  if (law == ImpactLaw::one_by_one) {
    const auto sequence = one_after_another(impacts, before, ImpactOrder::fastest_first);
    if (!sequence) return sequence.failure();
    return solution_of(impacts, *sequence);
  }
  std::vector<std::uint32_t> all(n);
  for (std::size_t i = 0; i < n; ++i) all[i] = static_cast<std::uint32_t>(i);
  Result<ContactSolution> solution = impacts.together(all, before);
  if (!solution || law == ImpactLaw::all_at_once) return solution;
  const auto doubtful = in_doubt(impacts, problem, before, *solution);
  if (doubtful.empty()) return solution;
  Velocities at_once = before;
  std::vector<double> impulse(2 * n, 0.0);
  impacts.apply(all, *solution, at_once, impulse);
  if (auto clear = refuse_if_ambiguous(impacts, doubtful, before, at_once); !clear)
    return clear.failure();
  return solution;
}

}  // namespace saltus
