// A model near one point of a solution: E x' = A x + B u, y = C x + C' x' + D u in small deviations.
//
//   Result<Linearization> near_start = linearize(model);
//   if (near_start) std::cout << to_text(*near_start);
//
// With F(t, x, x', u) = 0: E = dF/dx', A = -dF/dx, B = -dF/du. Inputs u are the signals of the model and
// those of their derivatives that occur in equations; outputs y are what Model::output names, or all
// variables if it names nothing. Constraints stay as they are: E is singular, whatever the index.
//
// At a point where the model rests, eigenvalues tell how deviations grow or decay. Elsewhere they are
// those of coefficients frozen at that moment (Linearization::at_rest is false).
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

// Failures: a start that is not found, an equation that cannot be evaluated there, more than 1000
// unknowns (limit_reached: matrices are dense). Throws ModelError as simulate() does.

/// Where a run that begins at t would begin: start values made consistent.
Result<Linearization> linearize(std::shared_ptr<const ModelDefinition> model, double t = 0.0);
Result<Linearization> linearize(const Model& model, double t = 0.0);
/// At a time of a solution of the model in which all its variables were recorded. The point is made
/// consistent again: unknowns that are derivatives ("der(x)") are read from polynomials first.
/// Derivatives of second order as unknowns are not in a solution: take them from a run.
Result<Linearization> linearize(std::shared_ptr<const ModelDefinition> model,
                                const Solution& solution, double t, Side side = Side::right);
Result<Linearization> linearize(const Model& model, const Solution& solution, double t,
                                Side side = Side::right);
/// Where a run of the model is.
Result<Linearization> linearize(std::shared_ptr<const ModelDefinition> model, const Run& run);
Result<Linearization> linearize(const Model& model, const Run& run);
/// A system at any point, consistent or not. One of your own has no inputs; its outputs are its
/// variables.
Result<Linearization> linearize(const System& system, double t, std::span<const double> x,
                                std::span<const double> xdot);

/// For people: modes with time constants or frequencies, what inputs reach and outputs see.
std::string to_text(const Linearization& linearization);

}  // namespace saltus
