// Many random contact problems: every solution held against the laws of contacts, written down here once more
// from bodies and not from W.
#pragma once

#include <atomic>
#include <map>
#include <thread>

#include "problems/random_contacts.hpp"

namespace saltus::problems {

enum class ContactOutcomeKind : std::uint8_t { right, wrong, refused };

struct ContactOutcome {
  ContactOutcomeKind kind = ContactOutcomeKind::right;
  std::string what;
  double worst = 0.0;  // violation, over the largest term
  bool proven = false;
  bool redundant = false;
  bool jammed = false;  // impulses without a collision came first
  const char* family = "";
  bool asked = false,
       ambiguous = false;  // with restitution: does the default law refuse to choose?
};

/// What a solution gets wrong: the largest violation of any law of any contact, over the sum of terms in its rows. On some
/// contacts nothing acts but the rounding of others: 3e-6 of the largest sum, in the units in which squares of rates
/// are energies, is the least.
class ContactJudge {
 public:
  explicit ContactJudge(const RandomContacts& problem) : p_(problem) {}

  double violation(const ContactSolution& s) const {
    const std::size_t n = p_.n();
    std::vector<double> force(2 * n);
    for (std::size_t i = 0; i < n; ++i) {
      force[i] = s.contacts[i].normal_force;
      force[n + i] = s.contacts[i].tangential_force;
    }
    double worst = 0.0, most = 0.0;
    const auto unit = [](const Row& r) { return r.own > 0.0 ? 1.0 / std::sqrt(r.own) : 0.0; };
    for (std::size_t i = 0; i < 2 * n; ++i) {
      const Row r = row(i, force);
      most = std::max(most, unit(r) * r.size);
    }
    for (std::size_t i = 0; i < n; ++i) {
      const Row normal = row(i, force), tangent = row(n + i, force);
      const double least = 3e-6 * most * std::sqrt(normal.own);
      const double size = std::max({normal.size, tangent.size, least});
      const double wrong = of_contact(i, s.contacts[i], normal, tangent);
      if (!std::isfinite(wrong)) return std::numeric_limits<double>::infinity();
      if (wrong > 0.0) worst = std::max(worst, wrong / size);
    }
    for (const RedundantRow& r : s.redundant) {
      double sum = 0.0, size = 0.0;
      for (std::size_t j = 0; j < 2 * n; ++j) {
        sum += r.coefficients[j] * force[j];
        size += std::abs(r.coefficients[j] * force[j]);
      }
      // forces of redundant contacts are differences of large ones where rows almost depend on each other
      if (size > 0.0 && std::abs(sum) > 1e-6 * size && std::abs(sum) > 1e-6 * largest(force))
        return 1.0;
    }
    return std::max(worst, p_.impulses ? energy_gain(force) : 0.0);
  }

 private:
  struct Row {
    double free = 0, rate = 0, size = 0, own = 0;  // own: what one unit of its force does
  };
  static double largest(const std::vector<double>& x) {
    double most = 0.0;
    for (const double v : x) most = std::max(most, std::abs(v));
    return most;
  }
  Row row(std::size_t i, const std::vector<double>& force) const {
    Row r;
    r.free = p_.impulses ? p_.velocity_before[i] : p_.free[i];
    long double sum = r.free;
    r.size = std::abs(r.free);
    for (std::size_t l = 0; l < p_.mass.size(); ++l) {
      long double body = 0.0L;
      for (std::size_t j = 0; j < force.size(); ++j) {
        body += static_cast<long double>(p_.h[j][l]) * force[j];
        r.size += std::abs(p_.h[i][l] * p_.h[j][l] * force[j] / p_.mass[l]);
      }
      sum += p_.h[i][l] * body / p_.mass[l];
      r.own += p_.h[i][l] * p_.h[i][l] / p_.mass[l];
    }
    r.rate = static_cast<double>(sum);
    return r;
  }
  double of_contact(std::size_t i, const ContactState& c, const Row& normal,
                    const Row& tangent) const {
    const ContactLaw& law = p_.laws[i];
    // the rates that the solver states are those of its forces
    double wrong = std::abs(c.normal_acceleration - normal.rate);
    if (law.frictional) wrong = std::max(wrong, std::abs(c.tangential_acceleration - tangent.rate));
    if (law.bilateral) return std::max(wrong, std::abs(normal.rate));
    // forces in units of the rates they cause
    const double e = p_.impulses && normal.free < 0.0 ? law.restitution : 0.0;
    const double rate = normal.rate + e * normal.free, force = normal.own * c.normal_force;
    wrong = std::max({wrong, -rate, -force, std::min(std::abs(rate), std::abs(force))});
    if (!law.frictional) return std::max(wrong, std::abs(c.tangential_force));
    const double slides = p_.impulses ? 0.0 : p_.slip_velocity[i];
    const double mu_static = p_.impulses ? law.mu_kinetic : law.mu_static;
    const auto slipping = [&](double direction) {
      return tangent.own * std::abs(c.tangential_force +
                                    std::copysign(law.mu_kinetic, direction) * c.normal_force);
    };
    if (slides != 0.0) return std::max(wrong, slipping(slides));
    const double sticking =
        std::max(std::abs(tangent.rate),
                 tangent.own * (std::abs(c.tangential_force) - mu_static * c.normal_force));
    return std::max(wrong, std::min(sticking, slipping(tangent.rate)));
  }
  /// Of kinetic energy, over what it was.
  double energy_gain(const std::vector<double>& impulse) const {
    long double before = 0.0L, after = 0.0L;
    for (std::size_t l = 0; l < p_.mass.size(); ++l) {
      long double v = 0.0L;
      for (std::size_t j = 0; j < impulse.size(); ++j)
        v += static_cast<long double>(p_.h[j][l]) * impulse[j];
      v = p_.velocity[l] + v / p_.mass[l];
      before += p_.mass[l] * static_cast<long double>(p_.velocity[l]) * p_.velocity[l];
      after += p_.mass[l] * v * v;
    }
    return before > 0.0L ? static_cast<double>((after - before) / before) : 0.0;
  }

  const RandomContacts& p_;
};

/// Kinds of refusals by words of their messages.
inline std::string refusal_reason(const std::string& message) {
  const char* const words[] = {"restitution asks for a rebound",
                               "Painleve",
                               "is not unique",
                               "no forces obey",
                               "no forces were found",
                               "create energy",
                               "neither sticks with mu_static nor slips",
                               "violate their laws",
                               "contradict each other",
                               "have no unique outcome"};
  for (const char* const w : words) {
    if (message.find(w) != std::string::npos) return w;
  }
  return "something else: " + message;
}

inline const char* contact_family(const RandomContacts& p) {
  if (p.impulses) return p.restitution ? "impacts with restitution" : "plastic impacts";
  const bool slides = std::any_of(p.slip_velocity.begin(), p.slip_velocity.end(),
                                  [](double v) { return v != 0.0; });
  return slides ? "accelerations while some slide" : "accelerations from rest";
}

/// Forces, where friction jams after impulses without a collision, as a run finds them.
class JamStudy {
 public:
  explicit JamStudy(const RandomContacts& p) : p_(p) {}

  Result<ContactSolution> forces() {
    constexpr int most_jams = 5;
    for (int n_jams = 0;; ++n_jams) {
      auto forces = contact_accelerations(p_.problem());
      if (forces || forces.failure().code != FailureCode::not_converged || n_jams == most_jams)
        return forces;
      const auto jam = contact_jam(p_.problem());
      if (!jam)
        return Failure{forces.failure().code,
                       forces.failure().message + "; " + jam.failure().message};
      jammed_ = true;
      violation_ = std::max(violation_, ContactJudge(jam_of(p_)).violation(*jam));
      p_ = following(p_, *jam);
      if (p_.n() == 0) return ContactSolution{};
    }
  }
  /// The problem of the forces found.
  const RandomContacts& last() const { return p_; }
  bool jammed() const { return jammed_; }
  double violation() const { return violation_; }

 private:
  RandomContacts p_;
  bool jammed_ = false;
  double violation_ = 0.0;
};

inline ContactOutcome study_contacts(std::uint64_t seed) try {
  const RandomContacts p = ContactWriter(seed).write();
  ContactOutcome outcome;
  outcome.family = contact_family(p);
  const ImpactLaw law =
      ImpactLaw::all_at_once;  // the default refuses most of those with restitution
  JamStudy accelerations(p);
  const Result<ContactSolution> s =
      p.impulses ? contact_impulses(p.problem(), p.velocity_before, law) : accelerations.forces();
  if (!s) {
    outcome.kind = ContactOutcomeKind::refused;
    outcome.what = s.failure().message;
    return outcome;
  }
  outcome.jammed = accelerations.jammed();
  outcome.worst =
      std::max(ContactJudge(accelerations.last()).violation(*s), accelerations.violation());
  outcome.proven = s->uniqueness == MotionVerdict::proven;
  outcome.redundant = !s->forces_unique();
  if (!(outcome.worst <= 1e-10)) {
    outcome.kind = ContactOutcomeKind::wrong;
    outcome.what = "a law is violated by " + std::to_string(outcome.worst * 1e10) +
                   "e-10 of the terms in its row, by its own account " +
                   std::to_string(s->residual * 1e10) + "e-10";
  }
  outcome.asked = p.restitution && seed % 10 == 0;
  if (outcome.asked) outcome.ambiguous = !contact_impulses(p.problem(), p.velocity_before);
  return outcome;
} catch (const std::exception& error) {
  return {ContactOutcomeKind::wrong, error.what()};
}

struct ContactStudy {
  std::uint64_t n_right = 0, n_wrong = 0, n_refused = 0, n_proven = 0, n_redundant = 0,
                n_jammed = 0;
  double worst = 0.0;
  std::map<std::string, std::uint64_t> reasons;
  std::map<std::string, std::uint64_t> families, refused_of_family;
  std::uint64_t n_asked = 0, n_ambiguous = 0;
  std::string complaints_of_wrong, complaints_of_refused;

  std::uint64_t total() const { return n_right + n_wrong + n_refused; }
};

/// Problems seed, seed + 1, ….
inline ContactStudy study_random_contacts(std::uint64_t seed, std::uint64_t n_problems) {
  std::vector<ContactOutcome> outcomes(n_problems);
  std::atomic<std::uint64_t> next = 0;
  const auto work = [&] {
    for (std::uint64_t k = next++; k < n_problems; k = next++)
      outcomes[k] = study_contacts(seed + k);
  };
  std::vector<std::thread> threads;
  for (unsigned i = 1; i < std::thread::hardware_concurrency(); ++i) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
  ContactStudy study;
  for (std::uint64_t k = 0; k < n_problems; ++k) {
    const ContactOutcome& o = outcomes[k];
    ++study.families[o.family];
    study.refused_of_family[o.family] += o.kind == ContactOutcomeKind::refused;
    study.n_asked += o.asked;
    study.n_ambiguous += o.ambiguous;
    const std::string line = "seed " + std::to_string(seed + k) + ": " + o.what + "\n";
    switch (o.kind) {
      case ContactOutcomeKind::right:
        ++study.n_right;
        study.n_proven += o.proven;
        study.n_redundant += o.redundant;
        study.n_jammed += o.jammed;
        study.worst = std::max(study.worst, o.worst);
        break;
      case ContactOutcomeKind::wrong:
        ++study.n_wrong;
        study.complaints_of_wrong += line;
        break;
      case ContactOutcomeKind::refused:
        ++study.n_refused;
        ++study.reasons[refusal_reason(o.what)];
        study.complaints_of_refused += line;
    }
  }
  return study;
}

}  // namespace saltus::problems
