// What can be said of a model before it runs: its structure, its characteristic values, and how sure
// both are.
//
//   std::cout << to_text(analyze(model));
//
// Structure looks at which variable occurs in which equation (analyze_structure): index, blocks, which
// equations are differentiated how often. Numbers look at derivative arrays on the solution set
// (analyze_index): characteristic values with the ranks they come from. Structure is quick at any
// size and can be wrong where terms cancel or equations say the same; numbers are right or refused, for
// models of up to 600 columns in the array. Where both exist they are compared, and a difference is
// explained by the equations and unknowns it comes from.
//
// Of a model with modes every mode is looked at, and every transition between two of them: which unknowns
// change class, what can therefore jump, where impulses are possible, whether what follows is unique.
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
  double t = 0.0;  // numbers belong to this time and the start values
  bool numbers = true;
  int max_level = 8;          // of the derivative array
  int max_expressions = 100;  // hidden constraints written out
  int max_length = 160;       // of one of them; longer ones are cut
  /// Of more modes, those that are nearest to the first one by transitions.
  int max_modes = 50;
  /// These modes and no others; empty: all.
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

/// d = 2 second + first: differential equations for unknowns whose second derivative occurs in the
/// model, and the others.
struct OrderCounts {
  std::uint32_t second = 0;
  std::uint32_t first = 0;

  friend bool operator==(const OrderCounts&, const OrderCounts&) = default;
};

/// Whether the system Jacobian of the Sigma-method is regular at the point looked at: only then the
/// structural answer is proved there.
struct StructureCheck {
  bool regular = false;
  bool at_consistent_point = false;  // else at the start values as given
  double gap = 0.0;
  std::vector<std::uint32_t> equations;  // that depend on each other, if it is not
  std::vector<std::uint32_t> unknowns;   // that are left open, if it is not
};

struct ModeAnalysis {
  std::string mode;  // empty in a model without modes
  StructuralAnalysis structure;
  std::vector<HiddenConstraint> hidden_constraints;
  std::uint32_t n_hidden_not_listed = 0;
  std::optional<StructureCheck> check;
  /// States that dummy derivatives would keep at the point looked at, "x" or "der(x)"; a run may choose
  /// others on its way. Empty if the check is missing or failed.
  std::vector<std::string> states;

  /// Of the model in first-order form; empty if `refusal` says why.
  std::optional<CharacteristicValues> values;
  std::vector<RankDecision> decisions;  // what the values come from
  std::string refusal;
  /// By structure, where it agrees with d.
  std::optional<OrderCounts> orders;
  /// Whether structure and numbers say the same; empty if only one of them spoke.
  std::optional<bool> agree;
  /// What is different and where it comes from, what is not confirmed: sentences.
  std::vector<std::string> remarks;

  /// By numbers where there are any: see mode_content.hpp. By structure otherwise: a variable, or a
  /// derivative of it, is algebraic if no higher one occurs or if differentiated constraints are as many as
  /// the unknowns they contain, differential if not.
  std::vector<ClassifiedUnknown> unknowns;
  bool classes_by_structure = false;
  bool is_square = false;  // in first-order form
};

struct ModelAnalysis {
  std::string model;
  double t = 0.0;
  std::uint32_t n_unknowns = 0;     // of the model as it was written
  std::vector<ModeAnalysis> modes;  // one per mode; one, without a name, if the model has none

  /// Every mode looked at has as many equations as unknowns, none redundant, none undetermined.
  bool regular = false;
  int largest_mu = 0;               // of modes with numbers
  std::uint32_t largest_index = 0;  // differentiation index, structural where there are no numbers

  std::vector<std::string> mode_names;  // all, also those not looked at
  std::string first_mode;
  std::vector<std::string> unreachable;   // no transition leads there from the first one
  std::vector<std::string> not_analysed;  // beyond the options
  std::vector<TransitionAnalysis> transitions;
};

/// Throws OptionError for options out of range or modes that do not exist. What cannot be found out is a
/// refusal, not an exception. A mode is looked at from the start values of its unknowns.
ModelAnalysis analyze(std::shared_ptr<const ModelDefinition> model,
                      const AnalyzeOptions& options = {});
ModelAnalysis analyze(const Model& model, const AnalyzeOptions& options = {});

/// For people; long lists are cut.
std::string to_text(const ModelAnalysis& analysis);

/// The modes and the transitions between them as a picture for Graphviz (dot -Tsvg). Modes that were not
/// looked at are dotted, unreachable ones grey; transitions are dashed if they lead to one of several candidates,
/// red if impulses are possible. Empty braces if there are no modes.
std::string to_dot(const ModelAnalysis& analysis);

}  // namespace saltus
