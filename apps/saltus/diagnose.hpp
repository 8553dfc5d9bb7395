// What is wrong with a model at its start, said with equations, variables and lines of its text.
#pragma once

#include <string>
#include <vector>

#include <saltus/modelica.hpp>
#include <saltus/simulate.hpp>

namespace saltus::app {

struct CheckedModel {
  const ReadModel& read;
  const std::string& text;
  const std::string& file;
  std::shared_ptr<const ModelDefinition> definition;
};

/// Equations that have no value at the start values, with what is to blame: "it divides by r^2, which is 0".
std::vector<Diagnostic> without_value_at_start(const CheckedModel& model, double t);
/// Start values that were stated and that a run would not begin from.
std::vector<Diagnostic> contradicting_starts(const CheckedModel& model, const RunReport& start,
                                             const RunOptions& options,
                                             const ModelAnalysis& analysis);
/// Variables that begin outside of their min and max.
std::vector<Diagnostic> outside_of_range(const CheckedModel& model, const Solution& start,
                                         double t);
/// Where nothing slides because that is turned off: what would chatter at once, or may later.
std::vector<Diagnostic> without_sliding(const CheckedModel& model, const RunOptions& options);
/// What is done about a higher index; empty if there is none.
std::string note_of_index(const CheckedModel& model, const ModelAnalysis& analysis);

}  // namespace saltus::app
