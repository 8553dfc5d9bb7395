#include <saltus/lower/compile_model.hpp>

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include <saltus/core/error.hpp>
#include <saltus/model/with_values.hpp>
#include <saltus/structure/analysis.hpp>

#include "lower/compiled/compiled_system.hpp"
#include "lower/compiled/compiled_transition.hpp"
#include "lower/layout/derivative_source.hpp"

namespace saltus {

namespace {

using Differentiated = Result<std::shared_ptr<const DifferentiatedSystem>>;

Differentiated differentiate(const ModelDefinition& whole, const ModeModel& mode) {
  const ModelDefinition& model = *mode.model;
  const StructuralAnalysis structure = analyze_structure(model);
  if (structure.is_singular()) return Failure{FailureCode::singular, to_text(structure)};
  if (structure.index() <= 1) return std::shared_ptr<const DifferentiatedSystem>();
  auto found = std::make_shared<DifferentiatedSystem>();
  detail::ModeEquations equations(model, structure.offsets->equation);
  detail::Layout layout =
      detail::Layout::of_orders(model, equations.graph(), structure.offsets->unknown);
  const auto system = std::make_shared<detail::CompiledSystem>(whole, mode, std::move(equations),
                                                               std::move(layout));
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

/// Compiles what is asked for, and keeps it.
class ModelSource final : public ConfigurationSource {
 public:
  explicit ModelSource(std::shared_ptr<const ModelDefinition> model)
      : model_(std::move(model)), modes_(n_modes()) {
    for (const Transition& t : model_->transitions())
      transitions_.push_back(
          {t.name, t.from, t.candidates, t.priority, t.restart, t.conserved, t.group_ends});
  }

  Configuration initial() const override {
    return {.mode = has_modes() ? model_->first_mode() : 0, .locks = {}, .sliding = {}};
  }
  std::span<const std::uint32_t> first_modes() const override { return model_->first_modes(); }
  std::span<const std::uint32_t> first_group_ends() const override {
    return model_->first_group_ends();
  }
  std::vector<NamedInput> outside_inputs() const override { return model_->outside_inputs(); }
  std::uint32_t n_modes() const override {
    return has_modes() ? static_cast<std::uint32_t>(model_->modes().size()) : 1;
  }
  std::string mode_name(std::uint32_t mode) const override {
    return has_modes() ? model_->modes()[mode].name : model_->name();
  }
  std::span<const std::string> mode_parts(std::uint32_t mode) const override {
    return has_modes() ? std::span<const std::string>(model_->modes()[mode].parts)
                       : std::span<const std::string>();
  }
  Result<std::shared_ptr<const System>> system(const Configuration& configuration) override {
    const std::lock_guard guard(mutex_);
    return of_mode<std::shared_ptr<const System>>(configuration.mode, [&] {
      return std::shared_ptr<const System>(built(configuration.mode).system);
    });
  }
  Differentiated differentiated(const Configuration& configuration) override {
    const std::lock_guard guard(mutex_);
    Entry& entry = modes_[configuration.mode];
    if (!entry.differentiated) {
      entry.differentiated = of_mode<std::shared_ptr<const DifferentiatedSystem>>(
          configuration.mode, [&] { return differentiate(*model_, taken(configuration.mode)); });
      ++counts_.differentiated;
    }
    return *entry.differentiated;
  }
  std::span<const TransitionInfo> transitions() const override { return transitions_; }
  Result<std::unique_ptr<TransitionMap>> transition_map(std::uint32_t transition,
                                                        std::uint32_t to) override {
    return transition_map(transition, to, nullptr);
  }

  /// What follows is for other values of the same model.
  std::shared_ptr<const detail::CompiledSystem> compiled(std::uint32_t mode) {
    const std::lock_guard guard(mutex_);
    return built(mode).system;
  }
  Result<std::unique_ptr<TransitionMap>> transition_map(std::uint32_t transition, std::uint32_t to,
                                                        const System* with_start_values) {
    const std::lock_guard guard(mutex_);
    const TransitionInfo& info = transitions_[transition];
    SALTUS_ASSERT(std::ranges::count(info.candidates, to) == 1);
    return under_way<std::unique_ptr<TransitionMap>>([&] {
      auto& plan = plans_[{transition, to}];
      if (!plan) {
        plan = std::make_shared<detail::TransitionPlan>(model_, transition, built(info.from),
                                                        built(to));
        ++counts_.transitions;
      }
      const System& after = with_start_values ? *with_start_values : *built(to).system;
      return std::unique_ptr<TransitionMap>(
          std::make_unique<detail::CompiledTransition>(plan, after.start_values()));
    });
  }

  CompilationCounts counts() const {
    const std::lock_guard guard(mutex_);
    return counts_;
  }

 private:
  struct Entry {
    std::optional<ModeModel> taken;
    std::unique_ptr<detail::BuiltMode> built;
    std::optional<Differentiated> differentiated;
  };

  /// What is wrong with the mode in which a run begins is a mistake in the model, said before anything
  /// runs; of others it is a failure of the run that enters them.
  template <class T, class Build>
  Result<T> of_mode(std::uint32_t mode, Build&& build) {
    const bool is_where_it_begins = model_->first_modes().empty() && mode == initial().mode;
    return is_where_it_begins ? Result<T>(build()) : under_way<T>(build);
  }
  template <class T, class Build>
  Result<T> under_way(Build&& build) {
    try {
      return build();
    } catch (const ModelError& e) {
      return Failure{FailureCode::out_of_domain, e.what()};
    }
  }

  bool has_modes() const { return !model_->modes().empty(); }

  const ModeModel& taken(std::uint32_t mode) {
    Entry& entry = modes_[mode];
    if (!entry.taken) entry.taken = has_modes() ? take_mode(*model_, mode) : whole_as_mode(model_);
    return *entry.taken;
  }

  const detail::BuiltMode& built(std::uint32_t mode) {
    Entry& entry = modes_[mode];
    if (!entry.built) {
      const ModeModel& part = taken(mode);
      detail::ModeEquations equations(*part.model);
      detail::Layout layout = detail::layout_of_mode(*part.model, equations);
      entry.built = std::make_unique<detail::BuiltMode>(
          detail::BuiltMode{part, std::make_shared<detail::CompiledSystem>(
                                      *model_, part, std::move(equations), std::move(layout))});
      ++counts_.modes;
    }
    return *entry.built;
  }

  std::shared_ptr<const ModelDefinition> model_;
  std::vector<TransitionInfo> transitions_;
  mutable std::mutex mutex_;  // guards what follows
  std::vector<Entry> modes_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::shared_ptr<const detail::TransitionPlan>>
      plans_;
  CompilationCounts counts_;
};

/// The same model with other values: only they are its own.
class ValuedSource final : public ConfigurationSource {
 public:
  ValuedSource(std::shared_ptr<ModelSource> compiled, std::shared_ptr<const ModelDefinition> values)
      : compiled_(std::move(compiled)),
        model_(std::move(values)),
        modes_(compiled_->n_modes()),
        differentiated_(modes_.size()) {}

  Configuration initial() const override { return compiled_->initial(); }
  std::span<const std::uint32_t> first_modes() const override { return compiled_->first_modes(); }
  std::span<const std::uint32_t> first_group_ends() const override {
    return compiled_->first_group_ends();
  }
  std::vector<NamedInput> outside_inputs() const override { return model_->outside_inputs(); }
  std::uint32_t n_modes() const override { return compiled_->n_modes(); }
  std::string mode_name(std::uint32_t mode) const override { return compiled_->mode_name(mode); }
  std::span<const std::string> mode_parts(std::uint32_t mode) const override {
    return compiled_->mode_parts(mode);
  }
  std::span<const TransitionInfo> transitions() const override { return compiled_->transitions(); }

  Result<std::shared_ptr<const System>> system(const Configuration& configuration) override {
    auto known = compiled_->system(configuration);
    if (!known) return known;
    const std::lock_guard guard(mutex_);
    return valued(configuration.mode);
  }
  Differentiated differentiated(const Configuration& configuration) override {
    auto known = compiled_->differentiated(configuration);
    if (!known || *known == nullptr) return known;
    const std::lock_guard guard(mutex_);
    auto& own = differentiated_[configuration.mode];
    if (!own) {
      own = std::make_shared<DifferentiatedSystem>(**known);
      const auto& compiled = dynamic_cast<const detail::CompiledSystem&>(*(*known)->system);
      own->system =
          std::make_shared<detail::CompiledSystem>(compiled, values_of(configuration.mode));
    }
    return std::shared_ptr<const DifferentiatedSystem>(own);
  }
  Result<std::unique_ptr<TransitionMap>> transition_map(std::uint32_t transition,
                                                        std::uint32_t to) override {
    auto after = system({.mode = to, .locks = {}, .sliding = {}});
    if (!after) return after.failure();
    return compiled_->transition_map(transition, to, after->get());
  }

 private:
  std::shared_ptr<const ModelDefinition> values_of(std::uint32_t mode) const {
    return model_->modes().empty() ? model_ : model_of_mode(*model_, mode);
  }
  std::shared_ptr<const System> valued(std::uint32_t mode) {
    if (!modes_[mode])
      modes_[mode] =
          std::make_shared<detail::CompiledSystem>(*compiled_->compiled(mode), values_of(mode));
    return modes_[mode];
  }

  std::shared_ptr<ModelSource> compiled_;
  std::shared_ptr<const ModelDefinition> model_;
  std::mutex mutex_;  // guards what follows
  std::vector<std::shared_ptr<const System>> modes_;
  std::vector<std::shared_ptr<DifferentiatedSystem>> differentiated_;
};

}  // namespace

std::shared_ptr<ConfigurationSource> compile_model(std::shared_ptr<const ModelDefinition> model) {
  return std::make_shared<ModelSource>(std::move(model));
}

CompilationCounts compilation_counts(const ConfigurationSource& source) {
  const auto* compiled = dynamic_cast<const ModelSource*>(&source);
  return compiled == nullptr ? CompilationCounts{} : compiled->counts();
}

CompiledModel::CompiledModel(std::shared_ptr<const ModelDefinition> model)
    : model_(std::move(model)), source_(compile_model(model_)), compiled_(source_) {}

CompiledModel CompiledModel::with_values(std::span<const Named<double>> values) const {
  CompiledModel other = *this;
  other.model_ = saltus::with_values(model_, values);
  other.source_ = std::make_shared<ValuedSource>(std::static_pointer_cast<ModelSource>(compiled_),
                                                 other.model_);
  return other;
}

}  // namespace saltus
