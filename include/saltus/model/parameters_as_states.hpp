// Turns parameters into states with der(p) == 0. Derivatives with respect to start values then give
// derivatives with respect to parameters.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include <saltus/model/definition.hpp>

namespace saltus {

struct ParametersAsStates {
  std::shared_ptr<const ModelDefinition> model;
  /// Numbers of the states of that model, in the order of the names; those of an array are
  /// consecutive.
  std::vector<std::uint32_t> parameters;
  /// States that were discrete variables of the original model, in the order of their numbers
  /// there.
  std::vector<std::uint32_t> discretes;
};

/// Returns the same model in which the named parameters are states with der(p) == 0 in every mode.
/// A name is that of a parameter, of an array or of one of its elements ("p[2]"; the other elements
/// then become parameters of their own). Existing states and algebraic variables keep their
/// numbers.
///
/// Some discrete variables become such states, too: those that events set to values which vary with
/// unknowns, with time or with one of these parameters, directly or through others. They are
/// constant between events, but their values depend on the parameters. A value that varies only in
/// the branch that it takes does not count.
///
/// Comparisons between held values remain as they are and cause no events of their own. They read
/// the value that the parameter has in the model (a hidden parameter or discrete variable called
/// "p, as compared"). For another value of a parameter, call this function again; other start
/// values are not a substitute.
///
/// Returns the model as it is if there is nothing to turn. Throws ModelError for names that are not
/// parameters, and for pre() of a discrete variable that becomes a state outside of when-clauses.
ParametersAsStates with_parameters_as_states(std::shared_ptr<const ModelDefinition> model,
                                             std::span<const std::string> parameters);

}  // namespace saltus
