#include "reduce/pencil/pair_structure.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace saltus::detail {

namespace {

/// The factor s in {1, -1} with a = s b; 0 if there is none. Both zero: any will do.
struct SignBetween {
  bool any = false;
  int sign = 0;
};
SignBetween sign_between(double a, double b) {
  const double size = std::max(std::abs(a), std::abs(b));
  if (size == 0.0) return {true, 0};
  const double rounding = 64 * std::numeric_limits<double>::epsilon() * size;
  if (std::abs(a - b) <= rounding) return {false, 1};
  return {false, std::abs(a + b) <= rounding ? -1 : 0};
}

/// Signs s with s_i e_ij = e_sign s_j e_ji and s_i a_ij = s_j a_ji: each nonzero entry ties s_i to
/// s_j, so one sign is chosen per connected part and the others follow. As few changes as
/// possible: of each part the smaller half is negated.
std::optional<std::vector<std::uint8_t>> find_signs(const Matrix& e, const Matrix& a, int e_sign) {
  const std::uint32_t n = e.n_rows;
  std::vector<int> sign(n, 0);
  for (std::uint32_t first = 0; first < n; ++first) {
    if (sign[first] != 0) continue;
    std::vector<std::uint32_t> part = {first};
    sign[first] = 1;
    for (std::size_t k = 0; k < part.size(); ++k) {
      const std::uint32_t i = part[k];
      for (std::uint32_t j = 0; j < n; ++j) {
        SignBetween in_e = sign_between(e(i, j), e(j, i));
        const SignBetween in_a = sign_between(a(i, j), a(j, i));
        in_e.sign *= e_sign;
        for (const SignBetween& found : {in_e, in_a}) {
          if (found.any) continue;
          if (found.sign == 0) return std::nullopt;
          const int wanted = sign[i] * found.sign;
          if (sign[j] == 0) {
            sign[j] = wanted;
            part.push_back(j);
          }
          if (sign[j] != wanted) return std::nullopt;
        }
      }
    }
    const auto negative =
        std::count_if(part.begin(), part.end(), [&](std::uint32_t i) { return sign[i] < 0; });
    if (2 * static_cast<std::size_t>(negative) > part.size()) {
      for (const std::uint32_t i : part) sign[i] = -sign[i];
    }
  }
  std::vector<std::uint8_t> negated;
  for (const int s : sign) negated.push_back(s < 0);
  return negated;
}

}  // namespace

RecognisedPair recognise_pair(const Matrix& e, const Matrix& a) {
  if (e.n_rows != e.n_cols || e.n_rows == 0) return {};
  if (auto signs = find_signs(e, a, 1)) return {PairStructure::symmetric, std::move(*signs)};
  if (auto signs = find_signs(e, a, -1)) return {PairStructure::self_adjoint, std::move(*signs)};
  return {};
}

}  // namespace saltus::detail
