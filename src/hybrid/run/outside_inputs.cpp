#include "hybrid/run/outside_inputs.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <saltus/core/error.hpp>
#include <saltus/core/text.hpp>

namespace saltus::detail {

void OutsideInputs::set(const std::string& name, std::span<const double> values, double t) {
  const OutsideInput& input = find(name);
  const std::size_t most = input.most_derivatives() + 1;
  if (values.empty() || values.size() > most)
    throw Error("input " + quote(name) + " takes a value and at most " +
                std::to_string(input.most_derivatives()) + " derivatives, not " +
                std::to_string(values.size()) + " numbers");
  for (const double value : values) {
    if (!std::isfinite(value))
      throw Error("input " + quote(name) + " cannot be set to " + to_text(value));
  }
  std::vector<double> wanted(values.begin(), values.end());
  wanted.resize(most, 0.0);
  std::erase_if(changes_, [&](const InputChange& change) { return change.input == &input; });
  if (wanted != input.at(t)) changes_.push_back({&input, std::move(wanted)});
}

std::vector<InputChange> OutsideInputs::take() { return std::exchange(changes_, {}); }

const OutsideInput& OutsideInputs::find(const std::string& name) const {
  std::vector<std::string> names;
  for (const NamedInput& input : inputs_) {
    if (input.name == name) return *input.input;
    names.push_back(input.name);
  }
  const auto near = nearest_name(name, names);
  throw Error(quote(name) + " is not an input that is set from outside" +
              (near            ? ", did you mean " + quote(*near) + "?"
               : names.empty() ? ": the model has none (Model::outside_input)"
                               : ": there are " + join(names, ", ")));
}

}  // namespace saltus::detail
