// Small contact problems, and their laws written down once more.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include <saltus/contact.hpp>

namespace saltus {

struct ContactCase {
  std::vector<ContactLaw> laws;
  Matrix response;
  std::vector<double> free;
  std::vector<double> slip_velocity;

  ContactProblem problem() const { return {laws, response, free, slip_velocity}; }
  std::size_t n() const { return laws.size(); }
};

inline ContactLaw contact_named(std::string name) {
  ContactLaw law;
  law.name = std::move(name);
  return law;
}
inline ContactLaw rough_contact(std::string name, double mu_kinetic, double mu_static = -1.0) {
  ContactLaw law = contact_named(std::move(name));
  law.frictional = true;
  law.mu_kinetic = mu_kinetic;
  law.mu_static = mu_static < 0.0 ? mu_kinetic : mu_static;
  return law;
}
inline ContactLaw joint_named(std::string name) {
  ContactLaw law = contact_named(std::move(name));
  law.bilateral = true;
  return law;
}

/// From rows of H (normals of all contacts, then tangents), a diagonal M and the accelerations without contacts.
inline ContactCase mechanics(std::vector<ContactLaw> laws,
                             const std::vector<std::vector<double>>& h,
                             const std::vector<double>& mass,
                             const std::vector<double>& acceleration) {
  ContactCase c;
  c.laws = std::move(laws);
  const std::size_t n = 2 * c.laws.size();
  c.response = Matrix(static_cast<std::uint32_t>(n), static_cast<std::uint32_t>(n));
  c.free.assign(n, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t l = 0; l < mass.size(); ++l) {
      c.free[i] += h[i][l] * acceleration[l];
      for (std::size_t j = 0; j < n; ++j) c.response(i, j) += h[i][l] * h[j][l] / mass[l];
    }
  }
  return c;
}

}  // namespace saltus
