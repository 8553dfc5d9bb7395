#include <algorithm>

#include <saltus/core/error.hpp>
#include <saltus/core/text.hpp>
#include <saltus/trajectory/switching.hpp>

namespace saltus {

namespace {

constexpr const char* switching_field = "output.switching";

std::uint32_t relation_called(const SwitchingFunctions& functions, const std::string& wanted) {
  std::vector<std::string> known;
  for (std::uint32_t w = 0; w < functions.count(); ++w) {
    if (functions.info(w).name == wanted) return w;
    known.push_back(functions.info(w).name);
  }
  const auto nearest = nearest_name(wanted, known);
  throw OptionError(switching_field,
                    quote(wanted) + " is no relation of the model" +
                        (nearest ? ", did you mean " + quote(*nearest) + "?" : std::string()));
}

}  // namespace

SwitchingColumns::SwitchingColumns(std::span<const VariableInfo> variables,
                                   const SwitchingFunctions* functions,
                                   std::span<const std::string> names)
    : variables_(variables.begin(), variables.end()) {
  const std::uint32_t count = functions != nullptr ? functions->count() : 0;
  std::vector<std::uint8_t> chosen(count, 0);
  for (const std::string& wanted : names) {
    if (wanted == "all") {
      chosen.assign(count, 1);
    } else if (functions == nullptr) {
      throw OptionError(switching_field, quote(wanted) + " is no relation: the model has none");
    } else {
      chosen[relation_called(*functions, wanted)] = 1;
    }
  }
  for (std::uint32_t w = 0; w < count; ++w) {
    if (!chosen[w]) continue;
    const std::string& name = functions->info(w).name;
    if (std::ranges::find(variables, name, &VariableInfo::name) != variables.end())
      throw OptionError(switching_field, "a variable and a relation are called " + quote(name) +
                                             ": a table cannot have both");
    which_.push_back(w);
    variables_.push_back({name, "", "switching function of the relation", false});
  }
  all_.resize(count);
}

MapWithSwitching::MapWithSwitching(const VariableMap& model, SwitchingColumns& columns,
                                   Workspace& workspace)
    : model_(model), columns_(columns), functions_(workspace.ability<SwitchingFunctions>()) {
  SALTUS_ASSERT(model.variables().size() == columns.n_model());
  SALTUS_ASSERT(functions_ == nullptr || functions_->count() == columns.all_.size());
}

bool MapWithSwitching::present(std::uint32_t variable) const {
  if (variable < columns_.n_model()) return model_.present(variable);
  return functions_ != nullptr &&
         functions_->is_active(columns_.which_[variable - columns_.n_model()]);
}

std::optional<std::uint32_t> MapWithSwitching::unknown(std::uint32_t variable) const {
  if (variable < columns_.n_model()) return model_.unknown(variable);
  return std::nullopt;
}

Evaluation MapWithSwitching::values(Workspace& workspace, double t, std::span<const double> x,
                                    std::span<const double> xdot, std::span<double> out) const {
  const std::uint32_t n_model = columns_.n_model();
  if (auto ok = model_.values(workspace, t, x, xdot, out.first(n_model)); !ok) return ok;
  const auto& which = columns_.which_;
  if (functions_ == nullptr || which.empty()) return Evaluation::ok();
  // One pass for all shares what they have in common.
  const bool at_once = which.size() == columns_.all_.size() && which.size() > 1;
  if (at_once) {
    const auto evaluated = functions_->evaluate(t, x, xdot, columns_.all_);
    if (evaluated.status() == Evaluation::Status::failed)
      return Evaluation::failed(n_model + evaluated.row());
    if (!evaluated) return Evaluation::out_of_domain(n_model + evaluated.row());
  }
  for (std::uint32_t k = 0; k < which.size(); ++k) {
    if (!functions_->is_active(which[k])) continue;
    double& g = out[n_model + k];
    if (at_once) {
      g = columns_.all_[which[k]];
      continue;
    }
    const auto evaluated = functions_->evaluate_one(which[k], t, x, xdot, g);
    if (evaluated.status() == Evaluation::Status::failed) return Evaluation::failed(n_model + k);
    if (!evaluated) return Evaluation::out_of_domain(n_model + k);
  }
  return Evaluation::ok();
}

}  // namespace saltus
