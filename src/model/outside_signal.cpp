#include <saltus/model/outside_signal.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <saltus/core/error.hpp>
#include <saltus/model/definition.hpp>

namespace saltus {

OutsideSignal::OutsideSignal(double start) : start_(start), pieces_(1) {
  pieces_.front().c[0] = start;
}

const SignalPiece& OutsideSignal::piece_at(double t, Side side) const {
  const auto later = std::upper_bound(
      pieces_.begin() + 1, pieces_.end(), t, [&](double time, const SignalPiece& piece) {
        return side == Side::right ? time < piece.origin : time <= piece.origin;
      });
  return *(later - 1);
}

double OutsideSignal::value(double t, int order, Side side) const {
  const SignalPiece& piece = piece_at(t, side);
  double sum = 0.0;
  for (int k = SignalPiece::degree; k >= order; --k) {
    double c = piece.c[static_cast<std::size_t>(k)];
    for (int j = 0; j < order; ++j) c *= k - j;
    sum = sum * (t - piece.origin) + c;
  }
  return sum;
}

std::vector<double> OutsideSignal::breakpoints(double t_from, double t_to) const {
  std::vector<double> found;
  for (std::size_t i = 1; i < pieces_.size(); ++i)
    if (pieces_[i].origin > t_from && pieces_[i].origin <= t_to) found.push_back(pieces_[i].origin);
  return found;
}

/// Changes lie in the past of the run that makes them: there is none ahead of it.
std::optional<double> OutsideSignal::next_breakpoint(double t, double t_end) const {
  const bool forward = t_end >= t;
  if (forward && !(pieces_.size() > 1 && pieces_.back().origin > t)) return std::nullopt;
  return Signal::next_breakpoint(t, t_end);
}

int OutsideSignal::max_order() const { return std::numeric_limits<int>::max(); }

std::optional<SignalPiece> OutsideSignal::piece(double t_1, double t_2) const {
  const SignalPiece& piece = piece_at(std::min(t_1, t_2), Side::right);
  if (&piece != &piece_at(std::max(t_1, t_2), Side::left)) return std::nullopt;
  return piece;
}

std::vector<double> OutsideSignal::at(double t) const {
  std::vector<double> found;
  for (int order = 0; order <= SignalPiece::degree; ++order) found.push_back(value(t, order));
  return found;
}

void OutsideSignal::set(double t, std::span<const double> derivatives) const {
  SALTUS_ASSERT(derivatives.size() <= most_derivatives() + 1);
  SALTUS_ASSERT(pieces_.size() == 1 || t >= pieces_.back().origin);
  SignalPiece piece;
  piece.origin = t;
  double factorial = 1.0;
  for (std::size_t k = 0; k < derivatives.size(); ++k) {
    if (k > 0) factorial *= static_cast<double>(k);
    piece.c[k] = derivatives[k] / factorial;
  }
  if (pieces_.size() > 1 && pieces_.back().origin == t) pieces_.pop_back();
  pieces_.push_back(piece);
}

std::vector<NamedInput> ModelDefinition::outside_inputs() const {
  std::vector<NamedInput> found;
  for (std::uint32_t i = 0; i < signals_.size(); ++i) {
    if (const auto* outside = dynamic_cast<const OutsideSignal*>(signals_[i].get()))
      found.push_back({graph_->variable_name(InputKind::signal, i), outside});
  }
  return found;
}

std::shared_ptr<const ModelDefinition> ModelDefinition::with_own_inputs(
    std::shared_ptr<const ModelDefinition> model) {
  std::shared_ptr<ModelDefinition> copy;
  for (std::size_t i = 0; i < model->signals_.size(); ++i) {
    const auto* outside = dynamic_cast<const OutsideSignal*>(model->signals_[i].get());
    if (outside == nullptr) continue;
    if (copy == nullptr) copy = std::make_shared<ModelDefinition>(*model);
    copy->signals_[i] = std::make_shared<OutsideSignal>(outside->start());
  }
  if (copy != nullptr) return copy;
  return model;
}

}  // namespace saltus
