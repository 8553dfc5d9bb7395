// Inputs that the caller of a run sets while it goes on.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <saltus/system/configuration.hpp>

#include "hybrid/stay/instant_request.hpp"

namespace saltus::detail {

class OutsideInputs {
 public:
  explicit OutsideInputs(const ConfigurationSource& source) : inputs_(source.outside_inputs()) {}

  /// From t on, where the run is: value and derivatives. Throws Error for a name that no input has, and for numbers that are
  /// none. What is as it was is no change.
  void set(const std::string& name, std::span<const double> values, double t);
  /// All changes since they were taken last.
  std::vector<InputChange> take();

 private:
  const OutsideInput& find(const std::string& name) const;

  std::vector<NamedInput> inputs_;
  std::vector<InputChange> changes_;
};

}  // namespace saltus::detail
