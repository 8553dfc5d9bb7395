#include <saltus/model/with_values.hpp>

#include <algorithm>
#include <cmath>

#include <saltus/core/error.hpp>
#include <saltus/core/text.hpp>
#include <saltus/expr/evaluator.hpp>

namespace saltus {

namespace detail {

class ValueSetting {
 public:
  explicit ValueSetting(const ModelDefinition& model)
      : made_(std::make_shared<ModelDefinition>(model)) {}

  void set(const std::string& name, double value) {
    if (!std::isfinite(value)) refuse(name, "cannot be " + to_text(value));
    for (Variable& v : made_->variables_) {
      if (v.hidden) continue;
      if (v.name == name && v.is_array)
        refuse(name, "is an array: its elements are '" + name + "[0]' to '" + name + "[" +
                         std::to_string(v.count - 1) + "]'");
      for (std::uint32_t j = 0; j < v.count; ++j) {
        if (made_->graph_->variable_name(v.kind, v.first + j) != name) continue;
        return set_element(v, j, value);
      }
    }
    std::vector<std::string> known;
    for (const Variable& v : made_->variables_)
      if (is_settable(v)) known.push_back(v.name);
    const auto near = nearest_name(name, known);
    refuse(name, "is neither a parameter nor a state" +
                     (near ? "; the nearest is '" + std::string(*near) + "'" : std::string()));
  }

  std::shared_ptr<const ModelDefinition> take() {
    check_made_of_parameters();
    return std::move(made_);
  }

 private:
  static bool is_settable(const Variable& v) {
    return !v.hidden && (v.kind == InputKind::parameter || v.kind == InputKind::state ||
                         v.kind == InputKind::discrete);
  }

  void set_element(Variable& v, std::uint32_t element, double value) {
    if (!is_settable(v)) refuse(v.name, "has no start value of its own");
    if (!v.no_other_value.empty())
      refuse(v.name, v.no_other_value + ": build the model again with another value of it");
    check_range(v.name, value, v.attributes.min, v.attributes.max);
    if (v.is_array && v.starts.empty()) {
      if (!v.attributes.start)
        refuse(v.name, "has no start values: give them to all its elements in the model");
      v.starts.assign(v.count, *v.attributes.start);
    }
    (v.starts.empty() ? v.attributes.start.emplace() : v.starts[element]) = value;
  }

  /// What follows from the values that are there now.
  void check_made_of_parameters() const {
    if (made_->ranged_values_ == nullptr) return;
    Evaluator<double> values(made_->ranged_values_);
    std::ranges::copy(made_->initial_values(InputKind::parameter), values.input(0).begin());
    values.run();
    const auto ranges = made_->value_ranges();
    for (std::size_t k = 0; k < ranges.size(); ++k) {
      const double value = values.outputs()[k];
      if (!std::isfinite(value)) refuse(ranges[k].name, "cannot be " + to_text(value));
      check_range(ranges[k].name, value, ranges[k].min, ranges[k].max);
    }
  }

  void check_range(const std::string& name, double value, double min, double max) const {
    if (value < min || value > max)
      refuse(name, "cannot be " + to_text(value) + ": its range is [" + to_text(min) + ", " +
                       to_text(max) + "]");
  }

  [[noreturn]] void refuse(const std::string& name, const std::string& why) const {
    throw ModelError("model '" + made_->name() + "'", "'" + name + "' " + why);
  }

  std::shared_ptr<ModelDefinition> made_;
};

}  // namespace detail

std::shared_ptr<const ModelDefinition> with_values(std::shared_ptr<const ModelDefinition> model,
                                                   std::span<const Named<double>> values) {
  if (values.empty()) return model;
  detail::ValueSetting setting(*model);
  for (const Named<double>& v : values) setting.set(v.name, v.value);
  return setting.take();
}

}  // namespace saltus
