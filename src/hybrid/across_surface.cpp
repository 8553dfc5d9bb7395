#include "hybrid/across_surface.hpp"

#include <cmath>
#include <string>

#include <saltus/core/text.hpp>

namespace saltus::detail {

bool put_across(SwitchBoard& board, std::span<const std::uint32_t> crossed,
                std::span<const double> margin, double t, std::vector<double>& x,
                std::span<const double> xdot) {
  SwitchingFunctions& functions = board.functions();
  const CscPattern& pattern = functions.gradient_pattern();
  std::vector<double> gradient(static_cast<std::size_t>(pattern.nnz()));
  bool any = false;
  for (const std::uint32_t w : crossed) {
    double g = 0.0;
    if (functions.is_timed(w) || !functions.evaluate_one(w, t, x, xdot, g)) continue;
    if (board.side(w) * g > 0) continue;
    if (std::abs(g) > margin[w] || !functions.gradients(t, x, xdot, gradient)) return false;
    std::vector<double> row(x.size(), 0.0);
    double square = 0.0;
    for (std::size_t j = 0; j < x.size(); ++j) {
      for (auto k = pattern.column_start[j]; k < pattern.column_start[j + 1]; ++k) {
        const auto slot = static_cast<std::size_t>(k);
        if (static_cast<std::uint32_t>(pattern.row[slot]) == w) row[j] = gradient[slot];
      }
      square += row[j] * row[j];
    }
    if (!(square > 0)) return false;
    const double way = (board.side(w) * 0.5 * margin[w] - g) / square;
    for (std::size_t j = 0; j < x.size(); ++j) x[j] += way * row[j];
    any = true;
  }
  return any;
}

Failure not_entered(const SwitchBoard& board, std::span<const std::uint32_t> crossed, double t,
                    const Failure& said) {
  Failure failure = said;
  const std::string hint = "; other start values or guesses may help";
  if (const auto at = failure.message.find(hint); at != std::string::npos)
    failure.message.erase(at, hint.size());
  std::vector<std::string> names;
  for (const std::uint32_t w : crossed) names.push_back(quote(board.info(w).name));
  failure.message = "at t = " + to_text(t) + " " + join(names, ", ") +
                    " changes, and the equations that hold from there on have no value where the "
                    "change was located: " +
                    failure.message;
  return failure;
}

}  // namespace saltus::detail
