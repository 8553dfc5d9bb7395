#include <saltus/lower/compile_model.hpp>

#include <mutex>
#include <optional>

#include <saltus/core/error.hpp>
#include <saltus/structure/analysis.hpp>

#include "lower/compiled_system.hpp"
#include "lower/derivative_source.hpp"

namespace saltus {

namespace {

void refuse_modes(const ModelDefinition& model) {
  const std::string who = "model '" + model.name() + "'";
  if (!model.modes().empty()) throw ModelError(who, "has modes, which this version cannot run yet");
}

using Differentiated = Result<std::shared_ptr<const DifferentiatedSystem>>;

Differentiated differentiate(const std::shared_ptr<const ModelDefinition>& model) {
  const StructuralAnalysis structure = analyze_structure(*model);
  if (structure.is_singular()) return Failure{FailureCode::singular, to_text(structure)};
  if (structure.index() <= 1) return std::shared_ptr<const DifferentiatedSystem>();
  auto found = std::make_shared<DifferentiatedSystem>();
  detail::ModeEquations equations(*model, structure.offsets->equation);
  detail::Layout layout =
      detail::Layout::of_orders(*model, equations.graph(), structure.offsets->unknown);
  const auto system =
      std::make_shared<detail::CompiledSystem>(model, std::move(equations), std::move(layout));
  for (std::uint32_t row = 0; row < system->n_model_rows(); ++row) {
    found->derivative_row.push_back(system->equations().derivative(row));
  }
  for (const detail::Layout::Unknown& u : system->layout().unknowns()) {
    found->derivative_unknown.push_back(u.successor);
  }
  found->tie_row.assign(system->size(), none);
  std::uint32_t row = system->n_model_rows();
  for (const std::uint32_t unknown : system->tied()) found->tie_row[unknown] = row++;
  found->index = structure.index();
  found->degrees_of_freedom = structure.degrees_of_freedom();
  found->system = system;
  return std::shared_ptr<const DifferentiatedSystem>(std::move(found));
}

class CompiledModel final : public ConfigurationSource {
 public:
  explicit CompiledModel(std::shared_ptr<const ModelDefinition> model) : model_(std::move(model)) {}

  Configuration initial() const override { return {}; }
  std::string mode_name(std::uint32_t) const override { return model_->name(); }
  Result<std::shared_ptr<const System>> system(const Configuration&) override {
    const std::lock_guard guard(mutex_);
    if (!system_) {
      detail::ModeEquations equations(*model_);
      detail::Layout layout = detail::layout_of_mode(*model_, equations);
      system_ =
          std::make_shared<detail::CompiledSystem>(model_, std::move(equations), std::move(layout));
    }
    return system_;
  }
  Result<std::shared_ptr<const DifferentiatedSystem>> differentiated(
      const Configuration&) override {
    const std::lock_guard guard(mutex_);
    if (!differentiated_) differentiated_ = differentiate(model_);
    return *differentiated_;
  }

 private:
  std::shared_ptr<const ModelDefinition> model_;
  std::mutex mutex_;
  std::shared_ptr<const System> system_;
  std::optional<Differentiated> differentiated_;
};

}  // namespace

std::shared_ptr<ConfigurationSource> compile_model(std::shared_ptr<const ModelDefinition> model) {
  refuse_modes(*model);
  return std::make_shared<CompiledModel>(std::move(model));
}

}  // namespace saltus
