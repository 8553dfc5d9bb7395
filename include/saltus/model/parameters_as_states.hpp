// Parameters as unknowns that keep their value, so that all that is known of how a solution depends on its start
// values is known of how it depends on parameters.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include <saltus/model/definition.hpp>

namespace saltus {

struct ParametersAsStates {
  std::shared_ptr<const ModelDefinition> model;
  /// Numbers of states of that model, in the order of the names; those of an array one after the other.
  std::vector<std::uint32_t> parameters;
  /// States that are discrete variables of the model as it was, in the order of their numbers there.
  std::vector<std::uint32_t> discretes;
};

/// The same model in which the named parameters are states with der(p) == 0, whatever the mode. A name is that
/// of a parameter, of an array or of one of its elements ("p[2]"; the others of the array then are parameters of
/// their own). States and algebraic variables that were there keep their numbers.
///
/// Discrete variables that get values at events which vary with unknowns, with time or with one of these
/// parameters, directly or by way of others, are such states, too: between events they are constant, but where
/// they start depends on the parameters. A value that varies only in which branch it takes does not.
///
/// Comparisons between held values stay what they are, not events of their own: they read the value that the
/// parameter has in the model (a hidden parameter or discrete variable called "p, as compared"). For
/// another value of a parameter this function is asked again; other start values are no substitute.
///
/// If there is nothing to turn, the model is returned as it is. Refuses (ModelError) names of what is no parameter,
/// and what reads pre() of a discrete variable that becomes a state outside of when-clauses.
ParametersAsStates with_parameters_as_states(std::shared_ptr<const ModelDefinition> model,
                                             std::span<const std::string> parameters);

}  // namespace saltus
