#include <saltus/lower/compile_model.hpp>

#include <mutex>

#include <saltus/core/error.hpp>
#include <saltus/expr/switches.hpp>

#include "lower/compiled_system.hpp"

namespace saltus {

namespace {

void refuse_what_switches(const ModelDefinition& model) {
  const std::string who = "model '" + model.name() + "'";
  if (!model.modes().empty()) throw ModelError(who, "has modes, which this version cannot run yet");
  if (!model.when_clauses().empty())
    throw ModelError(who, "has when-clause '" + model.when_clauses().front().name +
                              "', which this version cannot run yet");
  std::vector<NodeId> nodes;
  for (const Equation& q : model.equations()) nodes.push_back(q.residual);
  for (const NamedExpression& o : model.outputs()) nodes.push_back(o.node);
  const SwitchTable switches(model.graph(), nodes);
  if (switches.size() > 0)
    throw ModelError(who, "switches at '" + switches.text(switches[0].first) +
                              "', which this version cannot run yet; untracked() evaluates a "
                              "relation in place where its equation is smooth enough");
}

class CompiledModel final : public ConfigurationSource {
 public:
  explicit CompiledModel(std::shared_ptr<const ModelDefinition> model) : model_(std::move(model)) {}

  Configuration initial() const override { return {}; }
  std::string mode_name(std::uint32_t) const override { return model_->name(); }
  Result<std::shared_ptr<const System>> system(const Configuration&) override {
    const std::lock_guard guard(mutex_);
    if (!system_) system_ = std::make_shared<detail::CompiledSystem>(model_);
    return system_;
  }

 private:
  std::shared_ptr<const ModelDefinition> model_;
  std::mutex mutex_;
  std::shared_ptr<const System> system_;
};

}  // namespace

std::shared_ptr<ConfigurationSource> compile_model(std::shared_ptr<const ModelDefinition> model) {
  refuse_what_switches(*model);
  return std::make_shared<CompiledModel>(std::move(model));
}

}  // namespace saltus
