#include <algorithm>

#include <saltus/core/error.hpp>
#include <saltus/core/text.hpp>
#include <saltus/trajectory/switching.hpp>

namespace saltus {

namespace {

constexpr const char* switching_field = "output.switching";

[[noreturn]] void refuse_relation(const SwitchingFunctions* functions, const std::string& wanted) {
  if (functions == nullptr)
    throw OptionError(switching_field, quote(wanted) + " is not a relation: the model has none");
  std::vector<std::string> known;
  for (std::uint32_t w = 0; w < functions->count(); ++w) known.push_back(functions->info(w).name);
  const auto nearest = nearest_name(wanted, known);
  throw OptionError(switching_field,
                    quote(wanted) + " is not a relation of the model" +
                        (nearest ? ", did you mean " + quote(*nearest) + "?" : std::string()));
}

}  // namespace

SwitchingColumns::SwitchingColumns(std::span<const VariableInfo> variables,
                                   const SwitchingFunctions* functions,
                                   std::span<const std::string> names, bool several_modes)
    : variables_(variables.begin(), variables.end()),
      n_model_(static_cast<std::uint32_t>(variables.size())) {
  const auto is_wanted = [&](const std::string& name) {
    return std::ranges::any_of(names,
                               [&](const std::string& n) { return n == name || n == "all"; });
  };
  std::vector<std::string> chosen;
  for (std::uint32_t w = 0; functions != nullptr && w < functions->count(); ++w)
    if (is_wanted(functions->info(w).name)) chosen.push_back(functions->info(w).name);
  for (const std::string& wanted : names) {
    if (wanted == "all" || std::ranges::find(chosen, wanted) != chosen.end()) continue;
    if (!several_modes) refuse_relation(functions, wanted);
    chosen.push_back(wanted);
  }
  for (std::string& name : chosen) {
    if (std::ranges::find(variables, name, &VariableInfo::name) != variables.end())
      throw OptionError(switching_field, "a variable and a relation are called " + quote(name) +
                                             ": a table cannot have both");
    variables_.push_back({std::move(name), "", std::string(switching_description), false, true});
  }
}

bool SwitchingColumns::still_hold(const Places& places, const SwitchingFunctions& functions) const {
  const std::uint32_t count = functions.count();
  if (places.column.size() != count) return false;
  for (std::uint32_t k = 0; k < n(); ++k) {
    const std::string& name = variables_[n_model_ + k].name;
    const std::uint32_t w = places.which[k];
    if (w != nowhere) {
      if (functions.info(w).name != name) return false;
      continue;
    }
    for (std::uint32_t other = 0; other < count; ++other)
      if (functions.info(other).name == name) return false;
  }
  return true;
}

std::shared_ptr<SwitchingColumns::Places> SwitchingColumns::places_in(
    const SwitchingFunctions& functions) {
  constexpr std::size_t most_remembered = 32;
  const auto known = std::ranges::find_if(
      places_, [&](const std::shared_ptr<Places>& p) { return p->of == &functions; });
  if (known != places_.end()) {
    if (still_hold(**known, functions)) return *known;
    places_.erase(known);
  }
  auto places = std::make_shared<Places>();
  places->of = &functions;
  places->which.assign(n(), nowhere);
  places->column.assign(functions.count(), nowhere);
  places->all.resize(functions.count());
  std::uint32_t n_found = 0;
  for (std::uint32_t w = 0; w < functions.count(); ++w) {
    for (std::uint32_t k = 0; k < n(); ++k) {
      if (variables_[n_model_ + k].name != functions.info(w).name) continue;
      places->which[k] = w;
      places->column[w] = k;
      ++n_found;
    }
  }
  places->any = n_found > 0;
  places->at_once = n_found == functions.count() && n_found > 1;
  places_.insert(places_.begin(), places);
  if (places_.size() > most_remembered) places_.pop_back();
  return places;
}

MapWithSwitching::MapWithSwitching(const VariableMap& model, SwitchingColumns& columns,
                                   Workspace& workspace)
    : model_(model), columns_(columns), functions_(workspace.ability<SwitchingFunctions>()) {
  SALTUS_ASSERT(model.variables().size() == columns.n_model());
  if (functions_ != nullptr) places_ = columns.places_in(*functions_);
}

bool MapWithSwitching::present(std::uint32_t variable) const {
  if (variable < columns_.n_model()) return model_.present(variable);
  if (functions_ == nullptr) return false;
  const std::uint32_t which = places_->which[variable - columns_.n_model()];
  return which != SwitchingColumns::nowhere && functions_->is_active(which);
}

std::optional<std::uint32_t> MapWithSwitching::unknown(std::uint32_t variable) const {
  if (variable < columns_.n_model()) return model_.unknown(variable);
  return std::nullopt;
}

Evaluation MapWithSwitching::values(Workspace& workspace, double t, std::span<const double> x,
                                    std::span<const double> xdot, std::span<double> out) const {
  const std::uint32_t n_model = columns_.n_model();
  if (auto ok = model_.values(workspace, t, x, xdot, out.first(n_model)); !ok) return ok;
  if (functions_ == nullptr || !places_->any) return Evaluation::ok();
  const auto& which = places_->which;
  // One pass for all shares what they have in common.
  if (places_->at_once) {
    const auto evaluated = functions_->evaluate(t, x, xdot, places_->all);
    if (!evaluated) {
      const std::uint32_t row = n_model + places_->column[evaluated.row()];
      return evaluated.status() == Evaluation::Status::failed ? Evaluation::failed(row)
                                                              : Evaluation::out_of_domain(row);
    }
  }
  for (std::uint32_t k = 0; k < which.size(); ++k) {
    if (which[k] == SwitchingColumns::nowhere || !functions_->is_active(which[k])) continue;
    double& g = out[n_model + k];
    if (places_->at_once) {
      g = places_->all[which[k]];
      continue;
    }
    const auto evaluated = functions_->evaluate_one(which[k], t, x, xdot, g);
    if (evaluated.status() == Evaluation::Status::failed) return Evaluation::failed(n_model + k);
    if (!evaluated) return Evaluation::out_of_domain(n_model + k);
  }
  return Evaluation::ok();
}

}  // namespace saltus
