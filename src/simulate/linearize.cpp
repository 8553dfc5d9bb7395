#include <saltus/simulate/linearize.hpp>

#include <algorithm>
#include <cmath>

#include <saltus/core/error.hpp>
#include <saltus/core/text.hpp>
#include <saltus/lower/compile_model.hpp>
#include <saltus/system/abilities.hpp>
#include <saltus/system/switching.hpp>

#include "simulate/operating_point.hpp"

namespace saltus {

namespace {

constexpr std::uint32_t largest_linearization = 1000;

/// Adds factor times the values on a pattern, columns shifted to the left.
void add_entries(const CscPattern& pattern, std::span<const double> values, double factor,
                 std::size_t first_column, Matrix& m) {
  for (std::size_t j = first_column; j < first_column + m.n_cols; ++j) {
    for (auto s = static_cast<std::size_t>(pattern.column_start[j]);
         s < static_cast<std::size_t>(pattern.column_start[j + 1]); ++s) {
      m(static_cast<std::size_t>(pattern.row[s]), j - first_column) += factor * values[s];
    }
  }
}

std::uint32_t count_as_32(std::size_t n) { return static_cast<std::uint32_t>(n); }

class LinearizationAtPoint {
 public:
  LinearizationAtPoint(const System& system, Workspace& workspace, const OperatingPoint& point)
      : system_(system), workspace_(workspace), point_(point) {}

  Result<Linearization> run(std::string subject) {
    result_.subject = std::move(subject);
    result_.t = point_.t;
    result_.x = point_.x;
    result_.xdot = point_.xdot;
    if (system_.size() > largest_linearization) {
      return Failure{FailureCode::limit_reached,
                     where() + std::to_string(system_.size()) +
                         " unknowns are too many for dense matrices (at most " +
                         std::to_string(largest_linearization) + ")"};
    }
    for (std::uint32_t i = 0; i < system_.size(); ++i) {
      result_.unknowns.push_back(system_.unknown_name(i));
    }
    for (std::uint32_t i = 0; i < system_.n_equations(); ++i) {
      result_.equations.push_back(system_.equation_name(i));
    }
    for (const auto part : {&LinearizationAtPoint::differentiate_equations,
                            &LinearizationAtPoint::differentiate_by_inputs,
                            &LinearizationAtPoint::differentiate_outputs}) {
      if (auto ok = (this->*part)(); !ok) return ok.failure();
    }
    find_whether_at_rest();
    result_.pencil = analyze_pencil(result_.matrices);
    return std::move(result_);
  }

 private:
  std::string where() const { return "linearisation at t = " + to_text(point_.t) + ": "; }

  Result<void> checked(const Evaluation& e, const std::string& kind,
                       std::span<const std::string> names) const {
    if (e) return {};
    const bool failed = e.status() == Evaluation::Status::failed;
    return Failure{failed ? FailureCode::external_failed : FailureCode::out_of_domain,
                   where() + "the derivatives of " + kind + " '" + names[e.row()] +
                       "' cannot be evaluated there" +
                       (workspace_.last_error().empty() ? "" : ": " + workspace_.last_error())};
  }

  Result<void> differentiate_equations() {
    const CscPattern& p = system_.pattern();
    std::vector<double> df_dx(p.row.size()), df_dxdot(p.row.size());
    const Evaluation e = workspace_.jacobian(point_.t, point_.x, point_.xdot, df_dx, df_dxdot);
    if (auto ok = checked(e, "equation", result_.equations); !ok) return ok;
    result_.matrices.e = Matrix(system_.n_equations(), system_.size());
    result_.matrices.a = Matrix(system_.n_equations(), system_.size());
    add_entries(p, df_dxdot, 1.0, 0, result_.matrices.e);
    add_entries(p, df_dx, -1.0, 0, result_.matrices.a);
    return {};
  }

  Result<void> differentiate_by_inputs() {
    auto* by_inputs = workspace_.ability<InputDerivatives>();
    if (by_inputs != nullptr) {
      result_.inputs.assign(by_inputs->inputs().begin(), by_inputs->inputs().end());
    }
    result_.matrices.b = Matrix(system_.n_equations(), count_as_32(result_.inputs.size()));
    if (result_.inputs.empty()) return {};
    std::vector<double> values(by_inputs->pattern().row.size());
    const Evaluation e = by_inputs->evaluate(point_.t, point_.x, point_.xdot, values);
    if (auto ok = checked(e, "equation", result_.equations); !ok) return ok;
    add_entries(by_inputs->pattern(), values, -1.0, 0, result_.matrices.b);
    return {};
  }

  Result<void> differentiate_outputs() {
    auto* of_outputs = workspace_.ability<OutputDerivatives>();
    if (of_outputs == nullptr || of_outputs->outputs().empty()) {
      take_variables_as_outputs();
      return {};
    }
    result_.outputs.assign(of_outputs->outputs().begin(), of_outputs->outputs().end());
    make_output_matrices();
    std::vector<double> values(of_outputs->pattern().row.size());
    const Evaluation e = of_outputs->evaluate(point_.t, point_.x, point_.xdot, values);
    if (auto ok = checked(e, "output", result_.outputs); !ok) return ok;
    const CscPattern& p = of_outputs->pattern();
    add_entries(p, values, 1.0, 0, result_.matrices.c);
    add_entries(p, values, 1.0, system_.size(), result_.matrices.c_dot);
    add_entries(p, values, 1.0, 2 * std::size_t{system_.size()}, result_.matrices.d);
    return {};
  }

  void make_output_matrices() {
    const std::uint32_t n_outputs = count_as_32(result_.outputs.size());
    result_.matrices.c = Matrix(n_outputs, system_.size());
    result_.matrices.c_dot = Matrix(n_outputs, system_.size());
    result_.matrices.d = Matrix(n_outputs, count_as_32(result_.inputs.size()));
  }

  void take_variables_as_outputs() {
    const VariableMap& map = system_.variable_map();
    std::vector<std::uint32_t> unknown;
    for (std::uint32_t v = 0; v < map.variables().size(); ++v) {
      if (!map.present(v) || !map.unknown(v)) continue;
      result_.outputs.push_back(map.variables()[v].name);
      unknown.push_back(*map.unknown(v));
    }
    make_output_matrices();
    for (std::size_t k = 0; k < unknown.size(); ++k) result_.matrices.c(k, unknown[k]) = 1.0;
  }

  void find_whether_at_rest() {
    const Matrix &e = result_.matrices.e, &a = result_.matrices.a;
    result_.at_rest = true;
    for (std::uint32_t i = 0; i < e.n_rows; ++i) {
      double moving = 0.0, size = 0.0;
      for (std::uint32_t j = 0; j < e.n_cols; ++j) {
        moving += e(i, j) * point_.xdot[j];
        size += std::abs(a(i, j)) * std::max(std::abs(point_.x[j]), system_.nominal(j));
      }
      if (std::abs(moving) > 1e-8 * size) result_.at_rest = false;
    }
  }

  const System& system_;
  Workspace& workspace_;
  const OperatingPoint& point_;
  Linearization result_;
};

/// A point is taken with the start values of all discrete variables: where events have changed them it
/// would be a point of another model.
Result<void> held_as_at_start(const ModelDefinition& model, const Trajectory& trajectory, double t,
                              Side side) {
  for (const Variable& v : model.variables()) {
    if (v.kind != InputKind::discrete) continue;
    const auto column = trajectory.find(v.name);
    if (!column) continue;
    const auto value = trajectory.at(*column, t, side);
    const double start = v.start_of(0).value_or(0.0);
    if (!value || *value == start) continue;
    return Failure{FailureCode::not_certified,
                   "at t = " + to_text(t) + " '" + v.name + "' is " + to_text(*value) +
                       ", not its start value " + to_text(start) +
                       ": start the model with that value to linearise it there"};
  }
  return {};
}

Result<Linearization> linearize_model(const ModelDefinition& model, const System& system,
                                      const Result<OperatingPoint>& point) {
  if (!point) return point.failure();
  const auto workspace = system.workspace();
  decide_locks(*workspace, point->t, point->x, point->xdot);
  return LinearizationAtPoint(system, *workspace, *point).run("model '" + model.name() + "'");
}

}  // namespace

Result<Linearization> linearize(std::shared_ptr<const ModelDefinition> model, double t) {
  auto source = compile_model(model);
  auto system = source->system(source->initial());
  if (!system) return system.failure();
  return linearize_model(*model, **system, consistent_point(model->name(), *system, t));
}

Result<Linearization> linearize(std::shared_ptr<const ModelDefinition> model,
                                const Solution& solution, double t, Side side) {
  auto source = compile_model(model);
  auto system = source->system(source->initial());
  if (!system) return system.failure();
  if (auto same = held_as_at_start(*model, solution.trajectory, t, side); !same)
    return same.failure();
  auto read = point_of_solution(**system, solution, t, side);
  if (!read) return read.failure();
  return linearize_model(*model, **system, consistent_point(model->name(), *system, *read));
}

Result<Linearization> linearize(std::shared_ptr<const ModelDefinition> model, const Run& run) {
  auto source = compile_model(model);
  auto system = source->system(source->initial());
  if (!system) return system.failure();
  return linearize_model(*model, **system, point_of_run(**system, run));
}

Result<Linearization> linearize(const System& system, double t, std::span<const double> x,
                                std::span<const double> xdot) {
  if (x.size() != system.size() || xdot.size() != system.size())
    throw ModelError("system", "has " + std::to_string(system.size()) +
                                   " unknowns: a point needs as many values and derivatives");
  const OperatingPoint point{t, {x.begin(), x.end()}, {xdot.begin(), xdot.end()}};
  const auto workspace = system.workspace();
  decide_locks(*workspace, t, x, xdot);
  return LinearizationAtPoint(system, *workspace, point).run("system");
}

Result<Linearization> linearize(const Model& model, double t) {
  return linearize(model.build(), t);
}
Result<Linearization> linearize(const Model& model, const Solution& solution, double t, Side side) {
  return linearize(model.build(), solution, t, side);
}
Result<Linearization> linearize(const Model& model, const Run& run) {
  return linearize(model.build(), run);
}

}  // namespace saltus
