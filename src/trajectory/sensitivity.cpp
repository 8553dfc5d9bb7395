#include <saltus/trajectory/sensitivity.hpp>

#include <saltus/core/error.hpp>
#include <saltus/core/text.hpp>

namespace saltus {

std::string Sensitivities::column(std::string_view variable, std::string_view parameter) {
  return "d(" + std::string(variable) + ")/d(" + std::string(parameter) + ")";
}

double Sensitivities::at(std::string_view variable, std::string_view parameter, double t,
                         Side side) const {
  if (ends_ && (derivatives_.empty() || t > derivatives_.t_end() ||
                (t == derivatives_.t_end() && side == Side::right)))
    throw Error("derivatives are not known beyond t = " + to_text(ends_->t) + ": " + ends_->why);
  return derivatives_.at(column(variable, parameter), t, side);
}

std::optional<double> Sensitivities::rate_before_event(std::string_view variable, double t) const {
  if (!rates_ || rates_->t != t || parameters_.empty()) return std::nullopt;
  // Columns of the first parameter are those of all variables, in order.
  return rates_->of[derivatives_.index_of(column(variable, parameters_.front()))];
}

}  // namespace saltus
