// Analyses the structure of a model without numbers: which equations determine which unknowns, in
// which order, how often each must be differentiated, and which derivatives of inputs this
// requires.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <saltus/model/definition.hpp>
#include <saltus/structure/blocks.hpp>
#include <saltus/structure/sigma_method.hpp>

namespace saltus {

/// An equation, numbered like the rows of the signature, and its number of time derivatives.
struct DifferentiatedEquation {
  std::uint32_t equation = 0;
  std::uint32_t times = 0;
};

/// The number of derivatives that an input must have: the highest order in an equation plus its
/// offset.
struct SignalDemand {
  std::uint32_t signal = 0;    // its number among the inputs
  std::uint32_t order = 0;     // the highest derivative needed
  std::uint32_t equation = 0;  // the first that needs it
  int available = 0;           // the highest derivative that its signal offers
};

struct StructuralAnalysis {
  std::string subject;                 // "model 'pendulum'", with the mode if there are any
  std::vector<std::string> equations;  // names; a family lane by lane, "balance[3]"
  std::vector<std::string> unknowns;   // states, then algebraic variables
  std::vector<std::string> inputs;     // names of all inputs, by number
  SignatureMatrix signature;
  Matching matching;
  DulmageMendelsohn parts;
  BlockTriangularForm blocks;

  /// Empty if the model is structurally singular; then all following fields are empty, too.
  std::optional<SigmaOffsets> offsets;
  std::vector<DifferentiatedEquation> differentiated;  // all differentiated equations, in order
  /// The constraints among these: equations without any unknown's highest derivative in the model.
  /// (Differentiating one of the others, say der(x) == v, only names a higher derivative.)
  std::vector<DifferentiatedEquation> hidden_constraints;
  /// The number of hidden constraints of the model written with first derivatives: its size, less
  /// the degrees of freedom, less the constraints that are equations of the model.
  std::uint32_t n_hidden_constraints = 0;
  std::vector<SignalDemand> signals;  // all inputs that occur in equations

  bool is_singular() const { return !offsets.has_value(); }
  std::uint32_t index() const { return offsets.value().index; }
  std::uint32_t degrees_of_freedom() const { return offsets.value().degrees_of_freedom; }
};

/// Analyses a model. Throws ModelError if it has modes and none is given. The analysis of a mode
/// covers its equations and those that always hold; unknowns that do not occur in them do not exist
/// there. `locks` (see incidence.hpp) chooses branches of conditionals; without them all branches
/// count.
StructuralAnalysis analyze_structure(const ModelDefinition& model, ModeId mode = none,
                                     std::span<const std::uint8_t> locks = {});

/// Returns "length differentiated twice".
std::string to_text(const StructuralAnalysis& analysis, const DifferentiatedEquation& equation);
/// Returns a few readable lines; long lists of names are cut.
std::string to_text(const StructuralAnalysis& analysis);

}  // namespace saltus
