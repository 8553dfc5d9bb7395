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
  if (ends_ && (derivatives_.empty() || t > derivatives_.t_end() ||
                (t == derivatives_.t_end() && side == Side::right)))
    throw Error("derivatives are not known beyond t = " + to_text(ends_->t) + ": " + ends_->why);
  return derivatives_.at(column(variable, parameter), t, side);
}

}  // namespace saltus
