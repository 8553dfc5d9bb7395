// The signal behind Model::outside_input.
#pragma once

#include <memory>

#include <saltus/model/signal.hpp>
#include <saltus/core/outside_input.hpp>

namespace saltus {

/// A signal that the caller of a run sets. It keeps its past, for results are evaluated from it.
class OutsideSignal final : public Signal, public OutsideInput {
 public:
  explicit OutsideSignal(double start);

  double value(double t, int order, Side side = Side::right) const override;
  std::vector<double> breakpoints(double t_from, double t_to) const override;
  std::optional<double> next_breakpoint(double t, double t_end) const override;
  int max_order() const override;
  std::optional<SignalPiece> piece(double t_1, double t_2) const override;

  std::vector<double> at(double t) const override;
  void set(double t, std::span<const double> derivatives) const override;
  std::size_t most_derivatives() const override { return SignalPiece::degree; }
  double start() const { return start_; }

 private:
  const SignalPiece& piece_at(double t, Side side) const;

  double start_;
  mutable std::vector<SignalPiece> pieces_;  // each from its origin on; the first one from ever
};

}  // namespace saltus
