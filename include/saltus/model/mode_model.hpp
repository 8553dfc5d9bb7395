// One mode of a model as a model of its own.
#pragma once

#include <memory>
#include <vector>

#include <saltus/model/definition.hpp>

namespace saltus {

/// A mode taken out of its model: everything that can be done with a model without modes can be done
/// with it.
struct ModeModel {
  /// Without modes. It has the equations of the mode, the unknowns that occur in them, the outputs and
  /// when-clauses that mention no others (or whose conditions do not: WhenClause::lacks), and what ends the mode
  /// (ModelDefinition::exits()). Parameters, discrete variables and inputs are all there, under the same numbers.
  std::shared_ptr<const ModelDefinition> model;
  /// Numbers in the mode by those in the whole model; none: absent.
  std::vector<std::uint32_t> states;
  std::vector<std::uint32_t> algebraics;
  std::vector<std::uint32_t> outputs;
  /// Numbers in the whole model by those in the mode.
  std::vector<std::uint32_t> whole_states;
  std::vector<std::uint32_t> whole_algebraics;

  /// The same unknown, or one with number `none`; other inputs have the same number everywhere.
  Input in_mode(Input whole) const;
  Input in_whole(Input of_mode) const;
};

ModeModel take_mode(const ModelDefinition& model, ModeId mode);

/// The model alone.
inline std::shared_ptr<const ModelDefinition> model_of_mode(const ModelDefinition& model,
                                                            ModeId mode) {
  return take_mode(model, mode).model;
}

/// A model without modes as the only one it has: the same model, all numbers the same.
ModeModel whole_as_mode(std::shared_ptr<const ModelDefinition> model);

}  // namespace saltus
