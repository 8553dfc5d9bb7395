// Takes one mode out of a model, as a model of its own.
#pragma once

#include <memory>
#include <vector>

#include <saltus/model/definition.hpp>

namespace saltus {

/// A mode taken out of its model. It supports everything that a model without modes supports.
struct ModeModel {
  /// A model without modes. It has the equations of the mode, the unknowns that occur in them, and
  /// the outputs and when-clauses that mention no other unknowns (or whose conditions do not:
  /// WhenClause::lacks). It also has the conditions that end the mode (ModelDefinition::exits()),
  /// and all parameters, discrete variables and inputs, under the same numbers.
  std::shared_ptr<const ModelDefinition> model;
  /// Numbers in the mode by those in the whole model; none: absent.
  std::vector<std::uint32_t> states;
  std::vector<std::uint32_t> algebraics;
  std::vector<std::uint32_t> outputs;
  /// Numbers in the whole model by those in the mode.
  std::vector<std::uint32_t> whole_states;
  std::vector<std::uint32_t> whole_algebraics;

  /// Returns the same unknown, or one with number `none`; other inputs have the same number
  /// everywhere.
  Input in_mode(Input whole) const;
  Input in_whole(Input of_mode) const;
};

ModeModel take_mode(const ModelDefinition& model, ModeId mode);

/// Returns the model alone.
inline std::shared_ptr<const ModelDefinition> model_of_mode(const ModelDefinition& model,
                                                            ModeId mode) {
  return take_mode(model, mode).model;
}

/// Returns a model without modes as its own only mode: the same model, with the same numbers.
ModeModel whole_as_mode(std::shared_ptr<const ModelDefinition> model);

}  // namespace saltus
