#include <saltus/trajectory/sensitivity.hpp>

#include <algorithm>

#include <saltus/core/error.hpp>
#include <saltus/core/text.hpp>

namespace saltus {

std::string Sensitivities::column(std::string_view variable, std::string_view parameter) {
  return "d(" + std::string(variable) + ")/d(" + std::string(parameter) + ")";
}

double Sensitivities::at(std::string_view variable, std::string_view parameter, double t,
                         Side side) const {
  if (std::ranges::find(parameters_, parameter) == parameters_.end())
    throw Error(
        "derivatives with respect to " + quote(parameter) +
        " were not asked for: name it in RunOptions::sensitivities" +
        (parameters_.empty() ? std::string() : ", beside '" + join(parameters_, "', '") + "'"));
  const bool backward = derivatives_.backward();
  if (ends_ &&
      (derivatives_.empty() || (backward ? t < derivatives_.t_end() : t > derivatives_.t_end()) ||
       (t == derivatives_.t_end() && (side == Side::right) != backward)))
    throw Error("derivatives are not known beyond t = " + to_text(ends_->t) + ": " + ends_->why);
  const std::uint32_t which = derivatives_.index_of(column(variable, parameter));
  if (const auto value = derivatives_.at(which, t, side)) return *value;
  throw Error(quote(variable) + " has no derivative at t = " + to_text(t) +
              ": it does not exist there, or cannot be differentiated");
}

std::optional<double> Sensitivities::rate_before_event(std::string_view variable, double t) const {
  if (!rates_ || rates_->t != t || parameters_.empty()) return std::nullopt;
  // Columns of the first parameter are those of all variables, in order.
  return rates_->of[derivatives_.index_of(column(variable, parameters_.front()))];
}

}  // namespace saltus
