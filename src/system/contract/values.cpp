// Everything that is evaluated: finite, repeatable bit for bit, independent of what was in the
// output before and of other workspaces.
#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>

#include <saltus/core/text.hpp>
#include <saltus/system/abilities.hpp>

#include "system/contract/trial.hpp"

namespace saltus::detail {

namespace {

using EvaluateAt = std::function<Evaluation(Workspace&, const TrialPoint&, std::span<double>)>;

/// One kind of output: the residual, the two parts of the Jacobian, ...
struct Evaluated {
  std::string name;
  std::size_t size;
  EvaluateAt evaluate;
  std::function<std::string(std::size_t)> element;  // in words
};

constexpr double old_number = 1234.5;

bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) ||
         (std::isnan(a) && std::isnan(b));
}

/// The outputs of one kind at one point, as different circumstances produce them.
class OutputComparison {
 public:
  OutputComparison(Trial& trial, const Evaluated& what, const TrialPoint& point)
      : trial_(trial), what_(what), point_(point) {}

  void run(const TrialPoint& elsewhere) {
    const auto over_nan = evaluate(*trial_.workspace, std::numeric_limits<double>::quiet_NaN());
    if (!over_nan) return;  // out of domain here: nothing is promised
    const auto once = evaluate(*trial_.workspace, old_number);
    distract(*trial_.workspace, elsewhere);
    const auto again = evaluate(*trial_.workspace, old_number);
    distract(*trial_.other_workspace, elsewhere);
    const auto after_other = evaluate(*trial_.workspace, old_number);
    const auto other = evaluate(*trial_.other_workspace, old_number);
    if (differ(once, again, "is not repeatable: the same point gives")) return;
    if (differ(again, after_other,
               "changes when another workspace is used: workspaces share state, they give")) {
      return;
    }
    if (differ(after_other, other, "depends on the workspace: two of them give")) return;
    if (differ(over_nan, once, "depends on what was in the output before: there are")) return;
    for (std::size_t i = 0; i < what_.size; ++i) {
      if (std::isfinite((*once)[i])) continue;
      trial_.findings.add("values that are not finite", what_.element(i),
                          what_.element(i) + " is " + to_text((*once)[i]) +
                              " though the evaluation reports ok" + trial_.where(point_));
    }
  }

 private:
  using Values = std::optional<std::vector<double>>;

  Values evaluate(Workspace& workspace, double before) {
    std::vector<double> out(what_.size, before);
    if (!what_.evaluate(workspace, point_, out)) return std::nullopt;
    return out;
  }

  void distract(Workspace& workspace, const TrialPoint& elsewhere) {
    std::vector<double> out(what_.size, old_number);
    // Whether it can be evaluated there is of no interest.
    static_cast<void>(what_.evaluate(workspace, elsewhere, out));
  }

  /// Reports the first difference.
  bool differ(const Values& a, const Values& b, const std::string& sentence) {
    if (a.has_value() != b.has_value()) {
      trial_.findings.add(
          "values", what_.name,
          what_.name + " " + sentence + " a value and no value" + trial_.where(point_));
      return true;
    }
    if (!a) return false;
    for (std::size_t i = 0; i < what_.size; ++i) {
      if (same_bits((*a)[i], (*b)[i])) continue;
      trial_.findings.add("values", what_.element(i),
                          what_.element(i) + " " + sentence + " " + to_text((*a)[i]) + " and " +
                              to_text((*b)[i]) + trial_.where(point_));
      return true;
    }
    return false;
  }

  Trial& trial_;
  const Evaluated& what_;
  const TrialPoint& point_;
};

Evaluated evaluated_residual(const Trial& trial) {
  return {.name = "the residual",
          .size = trial.size(),
          .evaluate =
              [&trial](Workspace& workspace, const TrialPoint& p, std::span<double> out) {
                return workspace.residual(trial.t(), p.x, p.xdot, out);
              },
          .element = [&trial](std::size_t i) { return "the residual of " + trial.equation(i); }};
}

Evaluated evaluated_jacobian(const Trial& trial) {
  const std::size_t nnz = trial.system.pattern().row.size();
  const auto element = [&trial, nnz](std::size_t k) {
    const CscPattern& p = trial.system.pattern();
    const auto slot = static_cast<index_t>(k % nnz);
    const auto after = std::upper_bound(p.column_start.begin(), p.column_start.end(), slot);
    return (k < nnz ? "dF/dx of " : "dF/dx' of ") +
           trial.equation(static_cast<std::size_t>(p.row[k % nnz])) + " with respect to " +
           trial.unknown(static_cast<std::size_t>(after - p.column_start.begin()) - 1);
  };
  return {.name = "the Jacobian",
          .size = 2 * nnz,
          .evaluate =
              [&trial, nnz](Workspace& workspace, const TrialPoint& p, std::span<double> out) {
                return workspace.jacobian(trial.t(), p.x, p.xdot, out.first(nnz), out.last(nnz));
              },
          .element = element};
}

Evaluated evaluated_explicit_form(const Trial& trial) {
  return {
      .name = "the explicit form",
      .size = trial.size(),
      .evaluate =
          [&trial](Workspace& workspace, const TrialPoint& p, std::span<double> out) {
            auto* form = workspace.ability<ExplicitForm>();
            return form ? form->derivative(trial.t(), p.x, out) : Evaluation::failed(0);
          },
      .element = [&trial](std::size_t i) { return "the explicit form of " + trial.unknown(i); }};
}

}  // namespace

void check_values(Trial& trial) {
  std::vector<Evaluated> kinds{evaluated_residual(trial), evaluated_jacobian(trial)};
  if (trial.workspace->ability<ExplicitForm>()) kinds.push_back(evaluated_explicit_form(trial));
  for (std::size_t k = 0; k < trial.points.size(); ++k) {
    // With a single point, "elsewhere" is nearby.
    TrialPoint elsewhere = trial.points[(k + 1) % trial.points.size()];
    if (trial.points.size() == 1) elsewhere.x[0] += 1e-3 * magnitude_at(trial, elsewhere.x, 0);
    for (const Evaluated& what : kinds) {
      OutputComparison(trial, what, trial.points[k]).run(elsewhere);
    }
  }
}

}  // namespace saltus::detail
