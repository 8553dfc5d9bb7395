#include "fit/report.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <saltus/core/error.hpp>
#include <saltus/core/text.hpp>
#include <saltus/fit/fit.hpp>

namespace saltus {

namespace {

std::string written(double value, std::chars_format format, int digits) {
  char text[400];  // of any double
  const auto end = std::to_chars(text, text + sizeof text, value, format, digits);
  return {text, end.ptr};
}

int decimal_exponent(double value) {
  return value != 0 && std::isfinite(value)
             ? static_cast<int>(std::floor(std::log10(std::abs(value))))
             : 0;
}

bool reads_well_without_exponent(double value) {
  return value == 0 || (std::abs(value) >= 1e-4 && std::abs(value) < 1e6);
}

}  // namespace

std::string to_text_of_error(double error) { return to_text_beside_error(error, error); }

std::string to_text_beside_error(double value, double error) {
  if (!(error > 0) || !std::isfinite(error) || !std::isfinite(value)) return to_text(value);
  const int last = decimal_exponent(error) - 1;  // place of the last digit that means something
  if (reads_well_without_exponent(value) && reads_well_without_exponent(error))
    return written(value, std::chars_format::fixed, std::clamp(-last, 0, 17));
  return written(value, std::chars_format::scientific,
                 std::clamp(decimal_exponent(value) - last, 0, 17));
}

std::string to_text_of_sum(double sum) { return written(sum, std::chars_format::general, 6); }

std::string_view name(FitStatus status) noexcept {
  switch (status) {
    case FitStatus::converged:
      return "converged";
    case FitStatus::undetermined:
      return "undetermined";
    case FitStatus::at_jump:
      return "at a jump";
    case FitStatus::no_decrease:
      return "no decrease";
    case FitStatus::iteration_limit:
      return "iteration limit";
    case FitStatus::no_start:
      return "no start";
  }
  return "?";
}

const FittedParameter& FitResult::of(std::string_view parameter) const {
  std::vector<std::string_view> known;
  for (const FittedParameter& p : parameters) {
    if (p.name == parameter) return p;
    known.push_back(p.name);
  }
  const auto nearest = nearest_name(parameter, known);
  throw Error("no parameter " + quote(parameter) + " was fitted" +
              (nearest ? "; did you mean " + quote(*nearest) + "?" : std::string()));
}

std::string to_text(const FitResult& result) {
  std::string text = std::string(name(result.status)) + " after " +
                     std::to_string(result.iterations) + " iterations, " +
                     std::to_string(result.evaluations) + " runs";
  if (!result.message.empty()) text += ": " + result.message;
  text += "\n";
  for (const FittedParameter& p : result.parameters) {
    text += "  " + p.name + " = ";
    if (p.standard_error)
      text += to_text_beside_error(p.value, *p.standard_error) + " +- " +
              to_text_of_error(*p.standard_error);
    else
      text += to_text_of_sum(p.value);
    if (p.at_bound) text += ", on its bound";
    text += "\n";
  }
  text += "  sum of squares " + to_text_of_sum(result.sum_of_squares) + " of " +
          std::to_string(result.residuals.size()) + " residuals\n";
  for (const std::string& warning : result.warnings) text += "  warning: " + warning + "\n";
  for (const RefusedTrial& trial : result.refused) text += "  refused: " + trial.why + "\n";
  return text;
}

}  // namespace saltus
