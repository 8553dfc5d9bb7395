// Linearises a model near one point of a solution: E x' = A x + B u, y = C x + C' x' + D u in small
// deviations.
//
//   Result<Linearization> near_start = linearize(model);
//   if (near_start) std::cout << to_text(*near_start);
//
// With F(t, x, x', u) = 0: E = dF/dx', A = -dF/dx, B = -dF/du. Inputs u are the signals of the
// model and those of their derivatives that occur in equations. Outputs y are those of
// Model::output, or all variables if there are none. Constraints are not eliminated: they make E
// singular, whatever the index.
//
// At a point where the model rests, eigenvalues determine how deviations grow or decay. Elsewhere
// they are those of coefficients frozen at that moment (Linearization::at_rest is false).
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include <saltus/core/result.hpp>
#include <saltus/core/side.hpp>
#include <saltus/hybrid/run.hpp>
#include <saltus/model/model.hpp>
#include <saltus/reduce/pencil.hpp>
#include <saltus/trajectory/solution.hpp>

namespace saltus {

struct Linearization {
  std::string subject;  // "model 'rlc'"
  double t = 0.0;
  std::vector<std::string> equations;
  std::vector<std::string> unknowns;
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  std::vector<double> x, xdot;  // the point
  /// E x' is below 1e-8 of A x in every equation.
  bool at_rest = false;
  LinearSystem matrices;
  PencilAnalysis pencil;
};

// Failures: no start was found, an equation cannot be evaluated there, more than 1000 unknowns
// (limit_reached: matrices are dense). Throws ModelError as simulate() does.

/// Linearises at the start of a run that begins at t: start values made consistent.
Result<Linearization> linearize(std::shared_ptr<const ModelDefinition> model, double t = 0.0);
Result<Linearization> linearize(const Model& model, double t = 0.0);
/// Linearises at a time of a solution of the model in which all its variables were recorded. The
/// point is made consistent again: unknowns that are derivatives ("der(x)") are read from
/// polynomials first. Derivatives of second order as unknowns are not in a solution: take them from
/// a run.
Result<Linearization> linearize(std::shared_ptr<const ModelDefinition> model,
                                const Solution& solution, double t, Side side = Side::right);
Result<Linearization> linearize(const Model& model, const Solution& solution, double t,
                                Side side = Side::right);
/// Linearises at the current point of a run of the model.
Result<Linearization> linearize(std::shared_ptr<const ModelDefinition> model, const Run& run);
Result<Linearization> linearize(const Model& model, const Run& run);
/// Linearises a system at any point, consistent or not. A user's own system has no inputs; its
/// outputs are its variables.
Result<Linearization> linearize(const System& system, double t, std::span<const double> x,
                                std::span<const double> xdot);

/// Returns a readable text: modes with time constants or frequencies, and their controllability and
/// observability.
std::string to_text(const Linearization& linearization);

}  // namespace saltus
