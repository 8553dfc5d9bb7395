// A mechanism in coordinates with constraints as x' = f(t, x) with a projection: what explicit engines
// need of it, written by hand.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <saltus/saltus.hpp>

namespace saltus::bench {

/// M(q) q'' = f(q, v) + G(q)^T lambda; g(q) = 0 and G(q) v = 0, where the first rows of G are dg/dq, and
/// the others belong to constraints of velocities; G q'' + gamma(q, v) = 0. Matrices by rows.
struct ExplicitMechanism {
  std::vector<std::string> coordinates;
  std::vector<double> q, v;     // at the beginning
  std::size_t n_positions = 0;  // constraints of positions
  std::size_t n_constraints = 0;
  std::function<void(const double* q, double* m)> mass = {};
  std::function<void(const double* q, const double* v, double* f)> force = {};
  std::function<void(const double* q, double* g)> position = {};
  std::function<void(const double* q, double* g)> jacobian = {};
  std::function<void(const double* q, const double* v, double* gamma)> curvature = {};
  std::function<double(const double* q, const double* v)> energy = {};

  std::size_t size() const { return coordinates.size(); }
};

/// Unknowns are the coordinates, then their speeds. Steps are projected onto the constraints, first
/// positions, then speeds, by the nearest point in the metric of the masses.
std::shared_ptr<const System> make_explicit(const ExplicitMechanism& mechanism);

/// Compere's two examples, sections 3.5 and 3.6.
ExplicitMechanism explicit_compound_pendulum();
ExplicitMechanism explicit_rolling_spheres();

}  // namespace saltus::bench
