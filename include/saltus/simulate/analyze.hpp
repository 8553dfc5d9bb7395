// Analyses a model before it runs: its structure, its characteristic values, and how certain both
// are.
//
//   std::cout << to_text(analyze(model));
//
// The structural analysis uses only which variable occurs in which equation (analyze_structure):
// index, blocks, and how often each equation is differentiated. The numerical analysis uses
// derivative arrays on the solution set (analyze_index): characteristic values with the ranks they
// come from. Structure is quick at any size and can be wrong where terms cancel or equations are
// dependent. Numbers are right or refused, for models of up to 600 columns in the array. Where both
// exist they are compared, and a difference is explained by the equations and unknowns it comes
// from.
//
// In a model with modes, every mode and every transition between two modes is analysed: which
// unknowns change class and can therefore jump, where impulses are possible, and whether the
// continuation is unique.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <saltus/core/options.hpp>
#include <saltus/model/model.hpp>
#include <saltus/reduce/index_analysis.hpp>
#include <saltus/simulate/transition_analysis.hpp>
#include <saltus/structure/analysis.hpp>

namespace saltus {

struct AnalyzeOptions {
  double t = 0.0;  // time and start values at which numbers are computed
  bool numbers = true;
  int max_level = 8;          // of the derivative array
  int max_expressions = 100;  // hidden constraints written out
  int max_length = 160;       // of one of them; longer ones are cut
  /// The largest number of modes analysed; of more, those nearest to the first one by transitions.
  int max_modes = 50;
  /// Only these modes; empty: all.
  std::vector<std::string> modes = {};
};
template <class V>
void describe(AnalyzeOptions& o, V& field) {
  field("t", o.t).unit("s").help("time at which numbers are looked at");
  field("numbers", o.numbers).help("also find characteristic values, not structure alone");
  field("max_level", o.max_level).bounds(0, 20).help("highest level of the derivative array");
  field("max_expressions", o.max_expressions).at_least(0).help("hidden constraints written out");
  field("max_length", o.max_length).at_least(10).help("length at which a constraint is cut");
  field("max_modes", o.max_modes).at_least(1).help("modes looked at");
}

/// A total derivative of an equation that the solution must satisfy besides the equation itself.
struct HiddenConstraint {
  std::uint32_t equation = 0;    // of StructuralAnalysis::equations
  std::uint32_t derivative = 0;  // 1, 2, …
  std::string text;              // "2*x*der(x) + 2*y*der(y) == 0"
};

/// Splits d = 2 second + first: differential equations for unknowns whose second derivative occurs
/// in the model, and the others.
struct OrderCounts {
  std::uint32_t second = 0;
  std::uint32_t first = 0;

  friend bool operator==(const OrderCounts&, const OrderCounts&) = default;
};

/// Says whether the system Jacobian of the Sigma-method is regular at the analysed point. Only then
/// is the structural answer proved there.
struct StructureCheck {
  bool regular = false;
  bool at_consistent_point = false;  // else at the start values as given
  double gap = 0.0;
  std::vector<std::uint32_t> equations;  // that depend on each other, if not regular
  std::vector<std::uint32_t> unknowns;   // that are left undetermined, if not regular
};

struct ModeAnalysis {
  std::string mode;  // empty in a model without modes
  StructuralAnalysis structure;
  std::vector<HiddenConstraint> hidden_constraints;
  std::uint32_t n_hidden_not_listed = 0;
  std::optional<StructureCheck> check;
  /// States that dummy derivatives would select at the analysed point, "x" or "der(x)"; a run may
  /// select others later. Empty if the check is missing or failed.
  std::vector<std::string> states;

  /// The values of the model in first-order form; empty if `refusal` gives a reason.
  std::optional<CharacteristicValues> values;
  std::vector<RankDecision> decisions;  // the ranks behind the values
  std::string refusal;
  /// The orders by structure, where it agrees with d.
  std::optional<OrderCounts> orders;
  /// Whether structure and numbers agree; empty if only one of them gave a result.
  std::optional<bool> agree;
  /// Sentences on differences and their origin, and on results that are not confirmed.
  std::vector<std::string> remarks;

  /// Classes of unknowns, by numbers where there are any: see mode_content.hpp. Otherwise by
  /// structure: a variable, or a derivative of it, is algebraic if no higher one occurs or if
  /// differentiated constraints are as many as the unknowns they contain, differential if not.
  std::vector<ClassifiedUnknown> unknowns;
  bool classes_by_structure = false;
  bool is_square = false;  // in first-order form
};

struct ModelAnalysis {
  std::string model;
  double t = 0.0;
  std::uint32_t n_unknowns = 0;     // of the model as it was written
  std::vector<ModeAnalysis> modes;  // one per mode; one without a name if the model has none

  /// Every analysed mode has as many equations as unknowns, none redundant, none undetermined.
  bool regular = false;
  int largest_mu = 0;               // of modes with numbers
  std::uint32_t largest_index = 0;  // differentiation index, structural where there are no numbers

  std::vector<std::string> mode_names;  // all, also those that were not analysed
  std::string first_mode;
  /// no sequence of transitions leads there from the first one
  std::vector<std::string> unreachable;
  std::vector<std::string> not_analysed;  // excluded by the options
  std::vector<TransitionAnalysis> transitions;
};

/// Analyses a model; each mode is analysed at the start values of its unknowns. Throws OptionError
/// for options out of range or modes that do not exist. A result that cannot be determined is a
/// refusal, not an exception.
ModelAnalysis analyze(std::shared_ptr<const ModelDefinition> model,
                      const AnalyzeOptions& options = {});
ModelAnalysis analyze(const Model& model, const AnalyzeOptions& options = {});

/// Returns a readable text; long lists are cut.
std::string to_text(const ModelAnalysis& analysis);

/// Returns the modes and the transitions between them as a graph for Graphviz (dot -Tsvg). Modes
/// that were not analysed are dotted, unreachable ones grey. Transitions are dashed if they lead to
/// one of several candidates, red if impulses are possible. Returns empty braces if there are no
/// modes.
std::string to_dot(const ModelAnalysis& analysis);

}  // namespace saltus
