// What a compiled program consists of. Private to expr.
//
// One evaluation works on one file of registers
//     [ constants | inputs | outputs | pinned | temporaries | family scratch ]
// and one vector of mode bytes
//     [ locks of all switches | conditions computed by the program ].
// Code is a sequence of 32-bit words: an opcode, a destination, operands.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <saltus/expr/program.hpp>

namespace saltus {

enum class Code : std::uint32_t {
  end,
  // d a b
  add,
  sub,
  mul,
  div,
  pow,
  atan2,
  // d a
  neg,
  sqr,
  sqrt,
  exp,
  log,
  sin,
  cos,
  tan,
  asin,
  acos,
  atan,
  sinh,
  cosh,
  tanh,
  move,
  powi,  // d a exponent
  // a product used once, with the sum it goes into: two roundings, one dispatch. d a b c
  mul_add,  // a*b + c
  mul_sub,  // a*b - c
  sub_mul,  // c - a*b
  // the same with a held first factor: O(order) instead of O(order^2) in Taylor arithmetic
  held_mul,      // d a b
  held_mul_add,  // d a b c
  held_mul_sub,
  held_sub_mul,
  // conditionals by mode byte
  select,  // d a b mode
  abs,     // d a mode
  sign,    // d mode
  min,     // d a b mode
  max,     // d a b mode
  // conditionals by value
  abs_by_value,   // d a
  sign_by_value,  // d a
  min_by_value,   // d a b
  max_by_value,   // d a b
  // modes
  compare,      // mode a test
  conjunction,  // mode literal literal count step step   (literal: 2*mode + negated)
  skip,         // literal target: jump unless the literal can hold
  // blocks
  family,  // number
  call,    // number
};
inline constexpr std::uint32_t n_codes = static_cast<std::uint32_t>(Code::call) + 1;

/// Words an instruction takes, opcode included.
constexpr std::uint32_t length_of(Code code) {
  switch (code) {
    case Code::end:
      return 1;
    case Code::family:
    case Code::call:
      return 2;
    case Code::add:
    case Code::sub:
    case Code::mul:
    case Code::div:
    case Code::pow:
    case Code::atan2:
    case Code::powi:
    case Code::held_mul:
    case Code::abs:
    case Code::min_by_value:
    case Code::max_by_value:
    case Code::compare:
      return 4;
    case Code::mul_add:
    case Code::mul_sub:
    case Code::sub_mul:
    case Code::held_mul_add:
    case Code::held_mul_sub:
    case Code::held_sub_mul:
    case Code::select:
    case Code::min:
    case Code::max:
      return 5;
    case Code::conjunction:
      return 7;
    default:
      return 3;
  }
}

/// Where the lanes of a family's operand or result live: base[segment] + offset + lane * stride, or
/// base[segment] + offset + table[lane]. Segment 0 is the register file, segment k+1 the k-th
/// argument, read where the caller keeps it.
struct LanePlaces {
  std::uint32_t segment = 0;
  std::uint32_t offset = 0;
  std::int32_t stride = 0;
  std::uint32_t table = none;  // index into Image::tables
};

/// Which mode byte decides lane j.
struct LaneModes {
  std::uint32_t first = 0;
  std::int32_t stride = 0;
  std::uint32_t table = none;
};

struct FamilyStore {
  enum class Kind : std::uint8_t { registers, sum, compare };
  Kind kind = Kind::registers;
  std::uint32_t from = 0;  // body register
  LanePlaces to;           // registers, sum (stride 0)
  LaneModes modes;         // compare
  Test test = Test::positive;
  bool continues = false;  // sum: adds to what is there
};

/// Equations of one shape: a body evaluated for every lane. Body registers 0 … n_leaves-1 hold the
/// leaves, the others temporaries; mode operands index `modes`.
struct Family {
  std::uint32_t n_lanes = 0;
  std::uint32_t code = 0;  // index into Image::bodies
  std::vector<LanePlaces> leaves;
  std::vector<LaneModes> modes;
  std::vector<FamilyStore> stores;
};

struct FamilyBody {
  std::vector<std::uint32_t> code;
  std::uint32_t n_registers = 0;
};

struct CallSite {
  std::shared_ptr<const ExternalFunction> function;
  std::vector<std::uint32_t> arguments;  // addresses
  std::uint32_t outputs_at = 0;          // consecutive
};

struct SegmentPlace {
  std::uint32_t at = 0;  // first register
  std::uint32_t count = 0;
};

/// Registers of an argument that scalar code or tables read: copied when the argument is bound.
struct CopyRun {
  std::uint32_t segment = 0;
  std::uint32_t offset = 0;
  std::uint32_t count = 0;
};

struct Program::Image {
  std::vector<std::uint32_t> code;
  std::vector<std::uint32_t> held_code;
  std::vector<double> constants;
  std::vector<SegmentPlace> segments;
  std::vector<CopyRun> copies;
  std::vector<CopyRun> held_inputs;  // parameters, discrete and previous values
  std::vector<Family> families;
  std::vector<FamilyBody> bodies;
  std::vector<std::vector<std::uint32_t>> tables;
  std::vector<CallSite> calls;
  std::uint32_t outputs_at = 0;
  std::uint32_t n_outputs = 0;
  std::uint32_t n_registers = 0;
  std::uint32_t scratch_at = 0;  // registers for one lane of any family
  std::uint32_t n_modes = 0;
  std::uint32_t n_switches = 0;
  std::vector<bool> reads_lock;  // per switch; empty if the program decides them itself
  std::uint32_t max_body_registers = 0;
  std::uint32_t max_body_modes = 0;
  Locking locking = Locking::locked;
  std::size_t n_instructions = 0;
  std::size_t n_held_instructions = 0;
};

}  // namespace saltus
