#include <saltus/numerics/quad.hpp>

#include <quadmath.h>

#include <algorithm>
#include <array>

namespace saltus {

std::optional<Quad> Quad::from_string(const std::string& text) {
  char* end = nullptr;
  const Storage value = strtoflt128(text.c_str(), &end);
  if (text.empty() || end != text.c_str() + text.size()) return std::nullopt;
  return from_storage(value);
}

std::string to_string(Quad x, int digits) {
  // Sign, point, exponent and terminator need fewer than 16 characters.
  const int shown = std::clamp(digits, 1, 100);
  std::array<char, 128> text{};
  quadmath_snprintf(text.data(), text.size(), "%.*Qe", shown - 1, x.storage());
  return text.data();
}

Quad abs(Quad x) { return Quad::from_storage(fabsq(x.storage())); }
Quad sqrt(Quad x) { return Quad::from_storage(sqrtq(x.storage())); }
Quad exp(Quad x) { return Quad::from_storage(expq(x.storage())); }
Quad log(Quad x) { return Quad::from_storage(logq(x.storage())); }
Quad sin(Quad x) { return Quad::from_storage(sinq(x.storage())); }
Quad cos(Quad x) { return Quad::from_storage(cosq(x.storage())); }
Quad tan(Quad x) { return Quad::from_storage(tanq(x.storage())); }
Quad asin(Quad x) { return Quad::from_storage(asinq(x.storage())); }
Quad acos(Quad x) { return Quad::from_storage(acosq(x.storage())); }
Quad atan(Quad x) { return Quad::from_storage(atanq(x.storage())); }
Quad sinh(Quad x) { return Quad::from_storage(sinhq(x.storage())); }
Quad cosh(Quad x) { return Quad::from_storage(coshq(x.storage())); }
Quad tanh(Quad x) { return Quad::from_storage(tanhq(x.storage())); }
Quad pow(Quad x, Quad y) { return Quad::from_storage(powq(x.storage(), y.storage())); }
Quad atan2(Quad y, Quad x) { return Quad::from_storage(atan2q(y.storage(), x.storage())); }
bool isfinite(Quad x) { return finiteq(x.storage()) != 0; }
bool isnan(Quad x) { return isnanq(x.storage()) != 0; }

}  // namespace saltus
