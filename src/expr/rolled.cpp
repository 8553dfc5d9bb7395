// The rolled interpreter: one instruction works on a block of lanes of an equation family.
//
// Compiled with -O3 so that the inner loops become vector instructions. Lane by lane the operations
// and their order are those of the scalar code, so the results are the same bits.
#include <cmath>
#include <cstring>

#include "machine.hpp"

namespace saltus::detail {

namespace {

constexpr std::uint32_t block = rolled_block;

void load(const Program::Image& image, const LanePlaces& p, const double* base, std::uint32_t first,
          std::uint32_t n, double* to) {
  if (p.table != none) {
    const std::uint32_t* places = image.tables[p.table].data() + first;
    for (std::uint32_t j = 0; j < n; ++j) to[j] = base[p.offset + places[j]];
    return;
  }
  const double* from = base + p.offset + std::int64_t{p.stride} * first;
  if (p.stride == 2) {  // interleaved unknowns: worth a loop the compiler can shuffle
    for (std::uint32_t j = 0; j < n; ++j) to[j] = from[2 * j];
  } else {
    for (std::uint32_t j = 0; j < n; ++j) to[j] = from[std::int64_t{p.stride} * j];
  }
}

void save(const Program::Image& image, const LanePlaces& p, double* base, std::uint32_t first,
          std::uint32_t n, const double* from) {
  if (p.table != none) {
    const std::uint32_t* places = image.tables[p.table].data() + first;
    for (std::uint32_t j = 0; j < n; ++j) base[p.offset + places[j]] = from[j];
    return;
  }
  double* to = base + p.offset + std::int64_t{p.stride} * first;
  if (p.stride == 1) {
    std::memcpy(to, from, n * sizeof(double));
  } else {
    for (std::uint32_t j = 0; j < n; ++j) to[std::int64_t{p.stride} * j] = from[j];
  }
}

template <class F>
void unary(double* __restrict d, const double* a, std::uint32_t n, F f) {
  for (std::uint32_t j = 0; j < n; ++j) d[j] = f(a[j]);
}
template <class F>
void binary(double* __restrict d, const double* a, const double* b, std::uint32_t n, F f) {
  for (std::uint32_t j = 0; j < n; ++j) d[j] = f(a[j], b[j]);
}
template <class F>
void ternary(double* __restrict d, const double* a, const double* b, const double* c,
             std::uint32_t n, F f) {
  for (std::uint32_t j = 0; j < n; ++j) d[j] = f(a[j], b[j], c[j]);
}
template <class F>
void decided(double* __restrict d, const double* a, const double* b, const std::uint8_t* m,
             std::uint32_t n, F f) {
  for (std::uint32_t j = 0; j < n; ++j) d[j] = f(m[j], a[j], b[j]);
}

/// Mode bytes of a block, contiguous: in place if they already are.
const std::uint8_t* gather_modes(const Program::Image& image, const LaneModes& p,
                                 const std::uint8_t* modes, std::uint32_t first, std::uint32_t n,
                                 std::uint8_t* buffer) {
  if (p.table != none) {
    const std::uint32_t* places = image.tables[p.table].data() + first;
    for (std::uint32_t j = 0; j < n; ++j) buffer[j] = modes[places[j]];
    return buffer;
  }
  const std::uint8_t* from = modes + p.first + std::int64_t{p.stride} * first;
  if (p.stride == 1) return from;
  for (std::uint32_t j = 0; j < n; ++j) buffer[j] = from[std::int64_t{p.stride} * j];
  return buffer;
}

/// One block: the body's code over n lanes. pointers[k] is where register k lives.
void run_block(const Program::Image& image, const Family& family, const std::uint8_t* modes,
               std::uint32_t first, std::uint32_t n, const double** pointers, double* scratch) {
  const std::uint32_t* pc = image.bodies[family.code].code.data();
  std::uint8_t mode_buffer[block];
  for (;;) {
    const auto code = static_cast<Code>(*pc);
    if (code == Code::end) return;
    const std::uint32_t to = pc[1];
    double* d = scratch + std::size_t{to} * block;
    auto operand = [&](int k) { return pointers[pc[k]]; };
    auto modes_at = [&](int k) {
      return gather_modes(image, family.modes[pc[k]], modes, first, n, mode_buffer);
    };
    switch (code) {
      case Code::add:
        binary(d, operand(2), operand(3), n, [](double x, double y) { return x + y; });
        break;
      case Code::sub:
        binary(d, operand(2), operand(3), n, [](double x, double y) { return x - y; });
        break;
      case Code::mul:
      case Code::held_mul:
        binary(d, operand(2), operand(3), n, [](double x, double y) { return x * y; });
        break;
      case Code::div:
        binary(d, operand(2), operand(3), n, [](double x, double y) { return x / y; });
        break;
      case Code::pow:
        binary(d, operand(2), operand(3), n, [](double x, double y) { return std::pow(x, y); });
        break;
      case Code::atan2:
        binary(d, operand(2), operand(3), n, [](double x, double y) { return std::atan2(x, y); });
        break;
      case Code::neg:
        unary(d, operand(2), n, [](double x) { return -x; });
        break;
      case Code::sqr:
        unary(d, operand(2), n, [](double x) { return x * x; });
        break;
      case Code::sqrt:
        unary(d, operand(2), n, [](double x) { return std::sqrt(x); });
        break;
      case Code::exp:
        unary(d, operand(2), n, [](double x) { return std::exp(x); });
        break;
      case Code::log:
        unary(d, operand(2), n, [](double x) { return std::log(x); });
        break;
      case Code::sin:
        unary(d, operand(2), n, [](double x) { return std::sin(x); });
        break;
      case Code::cos:
        unary(d, operand(2), n, [](double x) { return std::cos(x); });
        break;
      case Code::tan:
        unary(d, operand(2), n, [](double x) { return std::tan(x); });
        break;
      case Code::asin:
        unary(d, operand(2), n, [](double x) { return std::asin(x); });
        break;
      case Code::acos:
        unary(d, operand(2), n, [](double x) { return std::acos(x); });
        break;
      case Code::atan:
        unary(d, operand(2), n, [](double x) { return std::atan(x); });
        break;
      case Code::sinh:
        unary(d, operand(2), n, [](double x) { return std::sinh(x); });
        break;
      case Code::cosh:
        unary(d, operand(2), n, [](double x) { return std::cosh(x); });
        break;
      case Code::tanh:
        unary(d, operand(2), n, [](double x) { return std::tanh(x); });
        break;
      case Code::powi: {
        const auto exponent = static_cast<std::int32_t>(pc[3]);
        unary(d, operand(2), n, [exponent](double x) { return saltus::powi(x, exponent); });
        break;
      }
      case Code::mul_add:
      case Code::held_mul_add:
        ternary(d, operand(2), operand(3), operand(4), n,
                [](double x, double y, double z) { return x * y + z; });
        break;
      case Code::mul_sub:
      case Code::held_mul_sub:
        ternary(d, operand(2), operand(3), operand(4), n,
                [](double x, double y, double z) { return x * y - z; });
        break;
      case Code::sub_mul:
      case Code::held_sub_mul:
        ternary(d, operand(2), operand(3), operand(4), n,
                [](double x, double y, double z) { return z - x * y; });
        break;
      case Code::select:
      case Code::max:
        decided(d, operand(2), operand(3), modes_at(4), n,
                [](std::uint8_t m, double x, double y) { return m != 0 ? x : y; });
        break;
      case Code::min:
        decided(d, operand(3), operand(2), modes_at(4), n,
                [](std::uint8_t m, double x, double y) { return m != 0 ? x : y; });
        break;
      case Code::abs:
        decided(d, operand(2), operand(2), modes_at(3), n,
                [](std::uint8_t m, double x, double y) { return m != 0 ? x : -y; });
        break;
      case Code::sign: {
        const std::uint8_t* m = modes_at(2);
        for (std::uint32_t j = 0; j < n; ++j) d[j] = m[j] != 0 ? 1.0 : -1.0;
        break;
      }
      case Code::abs_by_value:
        unary(d, operand(2), n, [](double x) { return x > 0 ? x : -x; });
        break;
      case Code::sign_by_value:
        unary(d, operand(2), n, [](double x) { return x > 0 ? 1.0 : x <= 0 ? -1.0 : x; });
        break;
      case Code::min_by_value:
        binary(d, operand(2), operand(3), n, [](double x, double y) {
          const double g = x - y;
          return g > 0 ? y : g <= 0 ? x : g;  // what is not a number stays so
        });
        break;
      case Code::max_by_value:
        binary(d, operand(2), operand(3), n, [](double x, double y) {
          const double g = x - y;
          return g > 0 ? x : g <= 0 ? y : g;
        });
        break;
      case Code::move:
        unary(d, operand(2), n, [](double x) { return x; });
        break;
      default:  // control codes do not occur in a body
        SALTUS_ASSERT(false);
    }
    pointers[to] = d;
    pc += length_of(code);
  }
}

void run_store(const Program::Image& image, const FamilyStore& s, double* registers,
               std::uint8_t* modes, std::uint32_t first, std::uint32_t n, const double* values,
               bool& undecided) {
  switch (s.kind) {
    case FamilyStore::Kind::registers:
      save(image, s.to, registers, first, n, values);
      break;
    case FamilyStore::Kind::sum: {
      double sum = first == 0 && !s.continues ? values[0] : registers[s.to.offset] + values[0];
      for (std::uint32_t j = 1; j < n; ++j) sum += values[j];  // in order: the scalar tier's bits
      registers[s.to.offset] = sum;
      break;
    }
    case FamilyStore::Kind::compare:
      for (std::uint32_t j = 0; j < n; ++j) {
        const std::uint32_t place =
            s.modes.table != none ? image.tables[s.modes.table][first + j]
                                  : static_cast<std::uint32_t>(
                                        s.modes.first + std::int64_t{s.modes.stride} * (first + j));
        if (is_nan(values[j])) undecided = true;
        modes[place] = TwoValued::decide(values[j], s.test);
      }
      break;
  }
}

}  // namespace

void run_family_rolled(const Program::Image& image, const Family& family,
                       const double* const* bases, double* registers, std::uint8_t* modes,
                       const double** pointers, double* scratch, bool& undecided) {
  for (std::uint32_t first = 0; first < family.n_lanes; first += block) {
    const std::uint32_t n = std::min(block, family.n_lanes - first);
    for (std::size_t k = 0; k < family.leaves.size(); ++k) {
      const LanePlaces& p = family.leaves[k];
      const double* base = bases[p.segment];
      double* own = scratch + k * block;
      if (p.table == none && p.stride == 1) {
        pointers[k] = base + p.offset + first;  // read in place
        continue;
      }
      pointers[k] = own;
      if (p.table == none && p.stride == 0) {
        if (first == 0) std::fill_n(own, n, base[p.offset]);  // later blocks are no longer
      } else {
        load(image, p, base, first, n, own);
      }
    }
    run_block(image, family, modes, first, n, pointers, scratch);
    for (const FamilyStore& s : family.stores)
      run_store(image, s, registers, modes, first, n, pointers[s.from], undecided);
  }
}

}  // namespace saltus::detail
