#include "system/function_checks.hpp"

#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include <saltus/core/error.hpp>
#include <saltus/core/text.hpp>

#include "system/callback_actions.hpp"
#include "system/differenced_switching.hpp"

namespace saltus::detail {

namespace {

const char* const list_subject = "list of functions";

std::string quote_code(const char* field) { return "`" + std::string(field) + "`"; }

const char* derivative_field(const SystemFunctions& functions) {
  return functions.derivative ? "derivative" : "locked_derivative";
}

void refuse_unknowns(const SystemFunctions& functions) {
  if (functions.unknowns.empty()) throw ModelError(list_subject, "there are no unknowns");
  std::set<std::string> names;
  for (std::size_t i = 0; i < functions.unknowns.size(); ++i) {
    const FunctionUnknown& unknown = functions.unknowns[i];
    if (unknown.name.empty()) {
      throw ModelError("unknown " + std::to_string(i + 1), "it has no name");
    }
    const std::string subject = "unknown " + quote(unknown.name);
    if (!names.insert(unknown.name).second) {
      throw ModelError(subject, "two unknowns have this name");
    }
    if (!std::isfinite(unknown.start)) {
      throw ModelError(subject, "its start value is " + to_text(unknown.start));
    }
    // Normal: an increment of sqrt(eps) times it must not vanish.
    if (!std::isnormal(unknown.nominal) || unknown.nominal < 0.0) {
      throw ModelError(subject, "its nominal value is " + to_text(unknown.nominal) +
                                    " and must be positive and finite");
    }
    if (has_derivative(functions) && !unknown.differential) {
      throw ModelError(subject, quote_code(derivative_field(functions)) +
                                    " gives x' for every unknown, but this one is not "
                                    "differential");
    }
  }
}

void refuse_equations(const SystemFunctions& functions) {
  const std::size_t n = functions.unknowns.size();
  if (!functions.equations.empty() && functions.equations.size() != n) {
    throw ModelError(list_subject, std::to_string(functions.equations.size()) +
                                       " equations are named for " + std::to_string(n) +
                                       " unknowns");
  }
  std::set<std::string> names;
  for (std::size_t i = 0; i < functions.equations.size(); ++i) {
    if (functions.equations[i].empty()) {
      throw ModelError("equation " + std::to_string(i + 1), "it has no name");
    }
    if (!names.insert(functions.equations[i]).second) {
      throw ModelError("equation " + quote(functions.equations[i]), "two equations have this name");
    }
  }
}

bool has_entry(const CscPattern& p, index_t row, index_t column) {
  const auto j = static_cast<std::size_t>(column);
  for (index_t s = p.column_start[j]; s < p.column_start[j + 1]; ++s) {
    if (p.row[static_cast<std::size_t>(s)] == row) return true;
  }
  return false;
}

void refuse_pattern(const SystemFunctions& functions) {
  const std::size_t n = functions.unknowns.size();
  constexpr auto most = static_cast<std::size_t>(std::numeric_limits<index_t>::max());
  if (!functions.pattern) {
    if (n > most / n) {
      throw ModelError("pattern", "a full one of " + std::to_string(n) +
                                      " unknowns has too many entries: state where dF/dx and "
                                      "dF/dx' can be nonzero");
    }
    return;
  }
  const CscPattern& p = *functions.pattern;
  if (const PatternCheck check = p.validate(); !check) throw ModelError("pattern", check.message);
  const auto expected = static_cast<index_t>(n);
  if (p.n_rows != expected || p.n_cols != expected) {
    throw ModelError("pattern", "it has " + std::to_string(p.n_rows) + " rows and " +
                                    std::to_string(p.n_cols) + " columns for " + std::to_string(n) +
                                    " unknowns");
  }
  if (!functions.jacobian || has_residual(functions)) return;
  // A missing diagonal cannot be filled in: the values of `jacobian` are laid out on this pattern.
  for (index_t j = 0; j < p.n_cols; ++j) {
    if (!has_entry(p, j, j)) {
      throw ModelError("pattern", "the residual x' - f(t, x) needs a diagonal entry for unknown " +
                                      quote(functions.unknowns[static_cast<std::size_t>(j)].name));
    }
  }
}

void refuse_locked(const SystemFunctions& functions) {
  if (functions.residual && functions.locked_residual) {
    throw ModelError(list_subject, "both `residual` and `locked_residual` are given");
  }
  if (functions.derivative && functions.locked_derivative) {
    throw ModelError(list_subject, "both `derivative` and `locked_derivative` are given");
  }
  const bool is_locked = functions.locked_residual || functions.locked_derivative;
  if (is_locked && (functions.residual || functions.derivative)) {
    throw ModelError(list_subject,
                     "one of residual and derivative receives its locks and the other does not");
  }
  if (is_locked && functions.switches.empty()) {
    throw ModelError(list_subject, "equations with locks are given, but no `switches`");
  }
  if (is_locked && functions.jacobian) {
    throw ModelError(
        list_subject,
        "`jacobian` does not receive the locks that the equations depend on: leave it out");
  }
}

void refuse_switches(const SystemFunctions& functions) {
  if (functions.switches.empty() != !functions.switching) {
    throw ModelError(list_subject, functions.switching
                                       ? "`switching` is given, but no names in `switches`"
                                       : "`switches` are named, but `switching` is not given");
  }
  std::set<std::string> names;
  for (std::size_t i = 0; i < functions.switches.size(); ++i) {
    const std::string& name = functions.switches[i].name;
    if (name.empty()) throw ModelError("switch " + std::to_string(i + 1), "it has no name");
    if (!names.insert(name).second) {
      throw ModelError("switch " + quote(name), "two switches have this name");
    }
  }
}

}  // namespace

bool has_residual(const SystemFunctions& functions) {
  return functions.residual || functions.locked_residual;
}

bool has_derivative(const SystemFunctions& functions) {
  return functions.derivative || functions.locked_derivative;
}

void refuse_unusable(const SystemFunctions& functions) {
  refuse_unknowns(functions);
  if (!has_residual(functions) && !has_derivative(functions)) {
    throw ModelError(list_subject, "neither `residual` nor `derivative` is given");
  }
  if (functions.project && !has_derivative(functions)) {
    throw ModelError(list_subject,
                     "`project` corrects steps of x' = f(t, x), but `derivative` is not given");
  }
  refuse_locked(functions);
  refuse_switches(functions);
  refuse_actions(functions.actions, functions.unknowns, functions.switches);
  refuse_equations(functions);
  refuse_pattern(functions);
}

CscPattern completed_pattern(const SystemFunctions& functions) {
  const auto n = static_cast<index_t>(functions.unknowns.size());
  if (!functions.pattern) return full_pattern(functions.unknowns.size(), functions.unknowns.size());
  if (has_residual(functions)) return *functions.pattern;
  std::vector<index_t> rows;
  std::vector<index_t> columns;
  for (index_t j = 0; j < n; ++j) {
    rows.push_back(j);
    columns.push_back(j);
    const auto column = static_cast<std::size_t>(j);
    for (index_t s = functions.pattern->column_start[column];
         s < functions.pattern->column_start[column + 1]; ++s) {
      rows.push_back(functions.pattern->row[static_cast<std::size_t>(s)]);
      columns.push_back(j);
    }
  }
  return assemble(n, n, rows, columns).pattern;
}

}  // namespace saltus::detail
