#include <saltus/model/model.hpp>

#include <algorithm>
#include <cmath>

#include <saltus/core/error.hpp>
#include <saltus/core/text.hpp>
#include <saltus/model/outside_signal.hpp>

namespace saltus {

namespace {

void check_attributes(const std::string& name, const Attributes& a,
                      const std::vector<double>& starts) {
  auto refuse = [&](const std::string& what) { throw ModelError("'" + name + "': " + what); };
  auto finite = [&](const std::optional<double>& v, const char* which) {
    if (v && !std::isfinite(*v)) refuse(std::string(which) + " " + to_text(*v) + " is not finite");
  };
  finite(a.start, "start value");
  finite(a.guess, "guess");
  finite(a.derivative_start, "start value of the derivative");
  finite(a.derivative_guess, "guess of the derivative");
  if (!(a.nominal > 0) || !std::isfinite(a.nominal))
    refuse("nominal " + to_text(a.nominal) + " must be positive and finite");
  if (std::isnan(a.min) || std::isnan(a.max) || a.min > a.max)
    refuse("min " + to_text(a.min) + " is above max " + to_text(a.max));
  auto inside = [&](double v) {
    if (v < a.min || v > a.max)
      refuse("start value " + to_text(v) + " is outside [" + to_text(a.min) + ", " +
             to_text(a.max) + "]");
  };
  if (a.start) inside(*a.start);
  for (double v : starts) {
    finite(v, "start value");
    inside(v);
  }
}

}  // namespace

Model::Model(std::string name) { parts_.name_ = std::move(name); }

Expr Model::declare(InputKind kind, const std::string& name, Attributes attributes,
                    std::vector<double> starts, std::uint32_t count, bool is_array) {
  check_attributes(name, attributes, starts);
  const std::uint32_t first =
      is_array ? graph_.declare_array(kind, name, count) : graph_.declare(kind, name);
  variable_numbers_.emplace(name, parts_.variables_.size());
  parts_.variables_.push_back(
      {name, kind, first, count, is_array, std::move(attributes), std::move(starts), false, {}});
  return {graph_,
          is_array ? graph_.lanes(InputRange{kind, first, count, 0}) : graph_.input(kind, first)};
}

Expr Model::state(const std::string& name, double start, Attributes attributes) {
  attributes.start = start;
  return declare(InputKind::state, name, std::move(attributes), {}, 1, false);
}
Expr Model::state(const std::string& name, Attributes attributes) {
  return declare(InputKind::state, name, std::move(attributes), {}, 1, false);
}
Expr Model::states(const std::string& name, std::span<const double> starts, Attributes attributes) {
  return declare(InputKind::state, name, std::move(attributes), {starts.begin(), starts.end()},
                 static_cast<std::uint32_t>(starts.size()), true);
}
Expr Model::states(const std::string& name, std::uint32_t n, Attributes attributes) {
  return declare(InputKind::state, name, std::move(attributes), {}, n, true);
}
Expr Model::algebraic(const std::string& name, Attributes attributes) {
  return declare(InputKind::algebraic, name, std::move(attributes), {}, 1, false);
}
Expr Model::algebraics(const std::string& name, std::uint32_t n, Attributes attributes) {
  return declare(InputKind::algebraic, name, std::move(attributes), {}, n, true);
}
Expr Model::parameter(const std::string& name, double value, Attributes attributes) {
  attributes.start = value;
  return declare(InputKind::parameter, name, std::move(attributes), {}, 1, false);
}
Expr Model::parameters(const std::string& name, std::span<const double> values,
                       Attributes attributes) {
  return declare(InputKind::parameter, name, std::move(attributes), {values.begin(), values.end()},
                 static_cast<std::uint32_t>(values.size()), true);
}
Expr Model::discrete(const std::string& name, double start, Attributes attributes) {
  attributes.start = start;
  return declare(InputKind::discrete, name, std::move(attributes), {}, 1, false);
}
Expr Model::input(const std::string& name, std::shared_ptr<const Signal> signal,
                  Attributes attributes) {
  if (signal == nullptr) throw ModelError("input '" + name + "' has no signal");
  const Expr e = declare(InputKind::signal, name, std::move(attributes), {}, 1, false);
  parts_.signals_.push_back(std::move(signal));
  return e;
}

Expr Model::outside_input(const std::string& name, double start, Attributes attributes) {
  if (!std::isfinite(start))
    throw ModelError("outside input '" + name + "'", "its start value is " + to_text(start));
  return input(name, std::make_shared<OutsideSignal>(start), std::move(attributes));
}

Variable& Model::variable_of(const Expr& variable) {
  if (variable.graph() == &graph_ && graph_.node(variable.id()).op == Op::input) {
    const Input& in = graph_.input(graph_.node(variable.id()).a);
    const auto found = variable_numbers_.find(graph_.variable_name(in.kind, in.index));
    if (in.order == 0 && found != variable_numbers_.end()) return parts_.variables_[found->second];
  }
  throw ModelError("this is not a variable of the model, or an element of an array");
}

void Model::hide(const Expr& variable) { variable_of(variable).hidden = true; }

void Model::refuse_derivatives(const Expr& parameter, const std::string& reason) {
  variable_of(parameter).no_derivatives = reason;
}
void Model::refuse_other_values(const Expr& parameter, const std::string& reason) {
  variable_of(parameter).no_other_value = reason;
}

void Model::value_range(const std::string& name, const Expr& value, double min, double max) {
  const NodeId node = value.in(graph_);
  if (graph_.is_array(node))
    throw ModelError("'" + name + "': only a single number can have a range, not an array");
  parts_.value_ranges_.push_back({name, node, min, max});
}

Equation Model::as_equation(std::string name, const Equality& sides) {
  Equation q;
  q.left = sides.left().in(graph_);
  q.right = sides.right().in(graph_);
  q.name =
      name.empty() ? to_text(graph_, q.left) + " == " + to_text(graph_, q.right) : std::move(name);
  const std::uint32_t n = std::max(graph_.lane_count(q.left), graph_.lane_count(q.right));
  const bool is_array = graph_.is_array(q.left) || graph_.is_array(q.right);
  q.residual = graph_.sub(q.left, q.right);
  if (is_array) q.residual = graph_.broadcast(q.residual, n);
  q.count = n;
  return q;
}

void Model::add_equation(std::string name, const Equality& sides, ModeId mode) {
  Equation q = as_equation(std::move(name), sides);
  const std::string key = std::to_string(mode) + ":" + q.name;
  if (!equation_names_.insert(key).second)
    throw ModelError("equation '" + q.name + "' is written twice");
  q.mode = mode;
  parts_.equations_.push_back(std::move(q));
}

void Model::equation(const Equality& sides) { add_equation("", sides, none); }
void Model::equation(const std::string& name, const Equality& sides) {
  add_equation(name, sides, none);
}

void Model::initial_equation(const Equality& sides) { initial_equation("", sides); }
void Model::initial_equation(const std::string& name, const Equality& sides) {
  Equation q = as_equation(name, sides);
  if (!initial_equation_names_.insert(q.name).second)
    throw ModelError("initial equation '" + q.name + "' is written twice");
  parts_.initial_equations_.push_back(std::move(q));
}

void Model::linear(std::span<const Expr> x, const std::vector<std::vector<double>>& e,
                   const std::vector<std::vector<double>>& a, std::span<const Expr> f) {
  const std::size_t rows = e.size();
  if (a.size() != rows || f.size() != rows)
    throw ModelError("linear: E has " + std::to_string(rows) + " rows, A " +
                     std::to_string(a.size()) + " and f " + std::to_string(f.size()));
  for (std::size_t i = 0; i < rows; ++i) {
    if (e[i].size() != x.size() || a[i].size() != x.size())
      throw ModelError("linear: row " + std::to_string(i) + " of E or A does not have " +
                       std::to_string(x.size()) + " entries");
    Expr left = 0.0, right = f[i];
    for (std::size_t j = 0; j < x.size(); ++j) {
      if (e[i][j] != 0) left += e[i][j] * der(x[j]);
      if (a[i][j] != 0) right += a[i][j] * x[j];
    }
    equation(left == right);
  }
}

Expr Model::integral(const std::string& name, const Expr& integrand, Attributes attributes) {
  const Expr sum = state(name, 0.0, std::move(attributes));
  equation(name, der(sum) == integrand);
  return sum;
}

void Model::output(const std::string& name, const Expr& value, const std::string& unit,
                   const std::string& description) {
  // An input or parameter is no column of a result: its name is free for the output that shows it.
  const auto found = variable_numbers_.find(name);
  const Variable* variable =
      found == variable_numbers_.end() ? nullptr : &parts_.variables_[found->second];
  const bool is_column = variable != nullptr && variable->kind != InputKind::signal &&
                         variable->kind != InputKind::parameter;
  if (name.empty()) throw ModelError("an output needs a name");
  if (is_column || !output_names_.insert(name).second)
    throw ModelError("output '" + name + "': the name is already taken");
  const NodeId node = value.in(graph_);
  parts_.outputs_.push_back(
      {name, node, graph_.lane_count(node), graph_.is_array(node), unit, description, false, {}});
}

void Model::invariant(const std::string& name, const Expr& value, const std::string& unit,
                      const std::string& description) {
  output(name, value, unit, description);
  parts_.outputs_.back().is_invariant = true;
}

}  // namespace saltus
