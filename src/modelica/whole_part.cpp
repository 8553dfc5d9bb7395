#include "modelica/whole_part.hpp"

#include <cmath>

namespace saltus::modelica {

namespace {

/// floor, or its derivative: 0 wherever it has one.
class WholePart final : public ExternalFunction {
 public:
  explicit WholePart(bool is_derivative)
      : ExternalFunction(is_derivative ? "der_floor" : "floor", 1, 1),
        is_derivative_(is_derivative) {}

  std::unique_ptr<Instance> instantiate() const override {
    return std::make_unique<Call>(is_derivative_);
  }
  std::shared_ptr<const ExternalFunction> jacobian() const override {
    return std::make_shared<WholePart>(true);
  }
  bool encloses() const override { return true; }

 private:
  class Call final : public Instance {
   public:
    explicit Call(bool is_derivative) : is_derivative_(is_derivative) {}
    bool evaluate(std::span<const double> in, std::span<double> out) override {
      out[0] = is_derivative_ ? 0.0 : std::floor(in[0]);
      return true;
    }
    bool enclose(std::span<const Interval> in, std::span<Interval> out) override {
      out[0] =
          is_derivative_ ? Interval(0.0) : Interval(std::floor(in[0].lo()), std::floor(in[0].hi()));
      return true;
    }

   private:
    bool is_derivative_;
  };
  bool is_derivative_;
};

}  // namespace

std::shared_ptr<const ExternalFunction> whole_part_function() {
  static const auto function = std::make_shared<const WholePart>(false);
  return function;
}

}  // namespace saltus::modelica
