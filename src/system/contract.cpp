#include <saltus/system/contract.hpp>

#include <algorithm>
#include <cmath>
#include <exception>
#include <utility>

#include <saltus/core/error.hpp>
#include <saltus/core/text.hpp>

#include "system/contract/trial.hpp"

namespace saltus {

namespace detail {

void Findings::add(const std::string& kind, const std::string& subject, std::string sentence) {
  if (!subjects_.insert(kind + ": " + subject).second) return;
  if (++count_[kind] <= most_of_a_kind_) sentences_.push_back(std::move(sentence));
}

std::vector<std::string> Findings::take() {
  for (const auto& [kind, count] : count_) {
    if (count > most_of_a_kind_) {
      sentences_.push_back(std::to_string(count - most_of_a_kind_) + " more findings about " +
                           kind);
    }
  }
  return std::move(sentences_);
}

std::string Trial::equation(std::size_t row) const {
  return "equation " + quote(system.equation_name(static_cast<std::uint32_t>(row)));
}

std::string Trial::unknown(std::size_t column) const {
  return quote(system.unknown_name(static_cast<std::uint32_t>(column)));
}

std::string Trial::where(const TrialPoint& point) const {
  return " (seed " + std::to_string(options.seed) + ", point " + std::to_string(point.number) + ")";
}

std::string Trial::trouble(Evaluation evaluation) const {
  const std::string row = evaluation.row() < size()
                              ? equation(evaluation.row())
                              : "row " + std::to_string(evaluation.row()) + " (there is none)";
  switch (evaluation.status()) {
    case Evaluation::Status::ok:
      return "no trouble";
    case Evaluation::Status::out_of_domain:
      return row + " is out of its domain";
    case Evaluation::Status::failed:
      return row + " failed";
  }
  return "an unknown status";
}

double magnitude_at(const Trial& trial, std::span<const double> values, std::size_t unknown) {
  return std::max(std::fabs(values[unknown]),
                  trial.system.nominal(static_cast<std::uint32_t>(unknown)));
}

}  // namespace detail

std::vector<std::string> check_system(const System& system, const SystemCheckOptions& options) {
  if (options.n_points < 1) {
    throw OptionError("n_points", "it is " + to_text(options.n_points) + " and must be at least 1");
  }
  detail::Trial trial{.system = system, .options = options};
  try {
    if (detail::check_description(trial)) {
      detail::choose_points(trial);
      detail::check_values(trial);
      detail::check_derivatives(trial);
      detail::check_explicit_form(trial);
      detail::check_variable_values(trial);
      detail::check_switching(trial);
      detail::check_locks(trial);
      detail::check_enclosures(trial);
    }
  } catch (const InternalError&) {
    throw;  // ours
  } catch (const std::exception& e) {
    trial.findings.add("exceptions", "",
                       "the system threw '" + std::string(e.what()) +
                           "': return Evaluation::out_of_domain or Evaluation::failed instead");
  } catch (...) {
    trial.findings.add("exceptions", "",
                       "the system threw something that is not a std::exception: return "
                       "Evaluation::out_of_domain or Evaluation::failed instead");
  }
  return trial.findings.take();
}

}  // namespace saltus
