// The interpreter: one template for all algebras. Private to expr.
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <saltus/core/error.hpp>

#include "algebras.hpp"
#include "image.hpp"

namespace saltus::detail {

/// Families in plain double: many lanes per instruction (rolled.cpp). `pointers` has room for
/// image.max_body_registers entries, `scratch` for as many blocks of values.
inline constexpr std::uint32_t rolled_block = 128;
void run_family_rolled(const Program::Image& image, const Family& family,
                       const double* const* bases, double* registers, std::uint8_t* modes,
                       const double** pointers, double* scratch, bool& undecided);

/// Registers, modes and bindings of one evaluator.
template <class Algebra>
class Machine {
 public:
  using Value = typename Algebra::Value;

  Machine(std::shared_ptr<const Program> program, int order)
      : program_(checked(std::move(program))),
        image_(program_->image()),
        algebra_(order),
        registers_(image_.n_registers * algebra_.stride(), Value(0.0)),
        modes_(image_.n_modes, 0),
        lane_modes_(image_.max_body_modes, 0),
        sum_(algebra_.stride(), Value(0.0)) {
    for (std::size_t i = 0; i < image_.constants.size(); ++i)
      algebra_.constant(at(i), image_.constants[i]);
    if (std::is_same_v<Value, Interval> && !arithmetic_is_ieee())
      throw ModelError(
          "enclosures need IEEE arithmetic, but this process rounds otherwise or flushes subnormal "
          "numbers to zero; was it linked with -ffast-math?");
    algebra_.locked = image_.locking == Locking::locked;
    unset_ = image_.reads_lock;
    n_unset_ = static_cast<std::size_t>(std::count(unset_.begin(), unset_.end(), true));
    std::size_t n_held = 0;
    for (const CopyRun& r : image_.held_inputs) n_held += r.count;
    held_seen_.assign(n_held * algebra_.stride(), Value(0.0));
    bases_.reserve(image_.segments.size() + 1);
    bases_.push_back(registers_.data());
    for (const SegmentPlace& s : image_.segments) bases_.push_back(at(s.at));
    bound_.assign(image_.segments.size(), 0);
    own_.resize(image_.segments.size());
    for (const CallSite& site : image_.calls) {
      if (!Algebra::supports(*site.function))
        throw ModelError("function '" + site.function->name() + "' offers no " +
                         Algebra::missing_ability());
      instances_.push_back(site.function->instantiate());
      most_arguments_ = std::max({most_arguments_, site.arguments.size(), site.function->n_out()});
    }
    algebra_.prepare_calls(most_arguments_);
    call_in_.resize(most_arguments_);
    call_out_.resize(most_arguments_);
    if constexpr (is_plain_double) {
      rolled_pointers_.resize(image_.max_body_registers);
      rolled_scratch_.resize(std::size_t{image_.max_body_registers} * rolled_block);
    }
  }
  Machine(const Machine&) = delete;

  const std::shared_ptr<const Program>& program() const { return program_; }
  std::span<const std::uint8_t> locks() const { return std::span(modes_).first(image_.n_switches); }
  void set_lock(SwitchId which, std::uint8_t mode) {
    modes_[which] = mode;
    if (n_unset_ == 0 || !unset_[which]) return;
    unset_[which] = false;
    --n_unset_;
  }

  void check_segment(std::size_t segment) const {
    if (segment >= image_.segments.size())
      throw ModelError("a program with " + std::to_string(image_.segments.size()) +
                       " arguments has no argument " + std::to_string(segment));
  }

  std::span<Value> input(std::size_t segment) {
    check_segment(segment);
    const SegmentPlace& s = image_.segments[segment];
    if (bound_[segment] != 0) bind(segment, nullptr);
    return {at(s.at), s.count * algebra_.stride()};
  }

  /// The usual case, an argument that was bound before: false if it is another one.
  bool rebind(std::size_t segment, std::span<const Value> values) {
    if (segment >= bound_.size() || bound_[segment] == 0 ||
        values.size() != image_.segments[segment].count || values.empty())
      return false;
    bases_[segment + 1] = values.data();
    return true;
  }

  /// Null: the machine's own storage, as it was before something was bound.
  void bind(std::size_t segment, const Value* values) {
    const bool was_bound = bound_[segment] != 0;
    if (!was_bound && values == nullptr) return;
    if (was_bound && values != nullptr) {
      bases_[segment + 1] = values;
      return;
    }
    const SegmentPlace& s = image_.segments[segment];
    const std::size_t n = s.count * algebra_.stride();
    if (!was_bound) own_[segment].assign(at(s.at), at(s.at) + n);
    if (values == nullptr) std::copy_n(own_[segment].begin(), n, at(s.at));
    bases_[segment + 1] = values != nullptr ? values : at(s.at);
    bound_[segment] = values != nullptr ? 1 : 0;
    list_copies();
  }

  std::span<const Value> outputs() const {
    return {registers_.data() + image_.outputs_at * algebra_.stride(),
            image_.n_outputs * algebra_.stride()};
  }

  /// Whether all conditionals of the last run could be decided.
  bool all_decided() const { return !algebra_.undecided; }

  void run() {
    if (n_unset_ > 0) refuse_unset_locks();
    copy_bound();
    algebra_.undecided = prologue_undecided_;
    if (held_inputs_changed()) run_prologue();
    if (image_.locking == Locking::unlocked) {
      const auto unset = static_cast<std::uint8_t>(
          std::is_same_v<typename Algebra::Truth, Masked> ? 0 : lock_inactive);
      std::fill_n(modes_.begin(), image_.n_switches, unset);
    }
    execute(image_.code.data(), registers_.data(), modes_.data());
  }

 private:
  static std::shared_ptr<const Program> checked(std::shared_ptr<const Program> program) {
    if (program == nullptr) throw ModelError("an evaluator needs a program");
    return program;
  }

  static constexpr bool is_plain_double = std::is_same_v<Algebra, ScalarAlgebra<double>>;

  /// A branch nobody chose would be a silent guess.
  void refuse_unset_locks() const {
    const auto which = std::find(unset_.begin(), unset_.end(), true) - unset_.begin();
    throw ModelError("a locked program reads switch " + std::to_string(which) +
                     ", whose lock was never set: run an unlocked program at the same point and "
                     "give its locks() to set_locks, or set each with set_lock");
  }

  /// Compares what the prologue last saw with what is there now: few values, and nobody has to
  /// remember to say that one was written.
  bool held_inputs_changed() {
    bool changed = !prologue_done_;
    Value* seen = held_seen_.data();
    for (const CopyRun& r : image_.held_inputs) {
      const Value* now = bases_[r.segment + 1] + r.offset * algebra_.stride();
      // Few values: calls of memcmp would cost more than the comparison.
      for (std::size_t n = r.count * algebra_.stride(); n > 0; --n, ++now, ++seen) {
        if (std::memcmp(seen, now, sizeof(Value)) == 0) continue;
        *seen = *now;
        changed = true;
      }
    }
    return changed;
  }

  void run_prologue() {
    algebra_.check_held(held_seen_);
    algebra_.undecided = false;
    execute(image_.held_code.data(), registers_.data(), modes_.data());
    prologue_undecided_ = algebra_.undecided;
    prologue_done_ = true;
  }

  Value* at(std::size_t address) { return registers_.data() + address * algebra_.stride(); }

  /// What a program reads of bound arguments one by one has to be copied before each run.
  void list_copies() {
    copies_.clear();
    for (const CopyRun& c : image_.copies) {
      if (bound_[c.segment] == 0) continue;
      copies_.push_back(
          {c.segment + 1, c.offset, c.count, at(image_.segments[c.segment].at + c.offset)});
    }
  }

  void copy_bound() {
    constexpr std::size_t few = 8;  // a call of memcpy would cost more
    for (const BoundCopy& c : copies_) {
      const Value* from = bases_[c.base] + c.offset;
      if (c.count > few) {
        std::copy_n(from, c.count, c.to);
        continue;
      }
      for (std::size_t k = 0; k < c.count; ++k) c.to[k] = from[k];
    }
  }

  const Value* source(const LanePlaces& p, std::uint32_t lane) const {
    const std::int64_t offset = p.table == none ? std::int64_t{p.stride} * lane
                                                : std::int64_t{image_.tables[p.table][lane]};
    return bases_[p.segment] + (p.offset + offset) * static_cast<std::int64_t>(algebra_.stride());
  }
  std::uint32_t mode_of(const LaneModes& m, std::uint32_t lane) const {
    if (m.table != none) return image_.tables[m.table][lane];
    return static_cast<std::uint32_t>(m.first + std::int64_t{m.stride} * lane);
  }

  void run_family(const Family& f) {
    if constexpr (is_plain_double) {
      run_family_rolled(image_, f, bases_.data(), registers_.data(), modes_.data(),
                        rolled_pointers_.data(), rolled_scratch_.data(), algebra_.undecided);
    } else {
      run_family_by_lane(f);
    }
  }

  void run_family_by_lane(const Family& f) {
    const FamilyBody& body = image_.bodies[f.code];
    Value* const scratch = at(image_.scratch_at);
    const std::size_t width = algebra_.stride();
    for (std::uint32_t lane = 0; lane < f.n_lanes; ++lane) {
      for (std::size_t k = 0; k < f.leaves.size(); ++k)
        algebra_.copy(scratch + k * width, source(f.leaves[k], lane));
      for (std::size_t k = 0; k < f.modes.size(); ++k)
        lane_modes_[k] = modes_[mode_of(f.modes[k], lane)];
      execute(body.code.data(), scratch, lane_modes_.data());
      for (const FamilyStore& s : f.stores) store(s, lane, scratch + s.from * width);
    }
  }

  void store(const FamilyStore& s, std::uint32_t lane, const Value* value) {
    if (s.kind == FamilyStore::Kind::compare) {
      modes_[mode_of(s.modes, lane)] = algebra_.decide(value, s.test);
      return;
    }
    Value* const to = const_cast<Value*>(source(s.to, lane));  // segment 0: our own registers
    if (s.kind == FamilyStore::Kind::registers || (lane == 0 && !s.continues)) {
      algebra_.copy(to, value);
    } else {
      algebra_.copy(sum_.data(), to);
      algebra_.add(to, sum_.data(), value);
    }
  }

  void run_call(std::uint32_t number) {
    const CallSite& site = image_.calls[number];
    for (std::size_t k = 0; k < site.arguments.size(); ++k) call_in_[k] = *at(site.arguments[k]);
    const std::size_t n_out = site.function->n_out();
    algebra_.call(*instances_[number], std::span(call_in_).first(site.arguments.size()),
                  std::span(call_out_).first(n_out));
    for (std::size_t k = 0; k < n_out; ++k) *at(site.outputs_at + k) = call_out_[k];
  }

  void run_conjunction(const std::uint32_t* pc, std::uint8_t* m) {
    auto literal = [&](std::uint32_t word, std::uint32_t step, std::uint32_t j) {
      const std::uint8_t value = m[word / 2 + step * j];
      return (word & 1U) != 0 ? Algebra::Truth::negation(value) : value;
    };
    for (std::uint32_t j = 0; j < pc[4]; ++j)
      m[pc[1] + j] =
          Algebra::Truth::conjunction(literal(pc[2], pc[5], j), literal(pc[3], pc[6], j));
  }

  void execute(const std::uint32_t* code, Value* r, std::uint8_t* m);

  std::shared_ptr<const Program> program_;
  const Program::Image& image_;
  Algebra algebra_;
  std::vector<Value> registers_;
  std::vector<std::uint8_t> modes_;
  std::vector<std::uint8_t> lane_modes_;
  std::vector<bool> unset_;  // locks that are read and were never set
  std::size_t n_unset_ = 0;
  std::vector<Value> sum_;
  std::vector<const Value*> bases_;  // 0: registers; k+1: argument k
  std::vector<std::uint8_t> bound_;
  std::vector<std::vector<Value>> own_;  // of bound arguments
  struct BoundCopy {
    std::size_t base, offset, count;
    Value* to;
  };
  std::vector<BoundCopy> copies_;
  bool prologue_done_ = false;
  bool prologue_undecided_ = false;
  std::vector<Value> held_seen_;  // held inputs as the prologue saw them
  std::vector<std::unique_ptr<ExternalFunction::Instance>> instances_;
  std::size_t most_arguments_ = 0;
  std::vector<Value> call_in_;
  std::vector<Value> call_out_;
  std::vector<const double*> rolled_pointers_;
  std::vector<double> rolled_scratch_;
};

// Threaded dispatch: each instruction jumps to the next, which lets the processor predict every
// jump by its own history (measured 1.3 times faster than a switch in a loop).
template <class Algebra>
void Machine<Algebra>::execute(const std::uint32_t* code, Value* r, std::uint8_t* m) {
  static const void* const labels[n_codes] = {
      &&l_end,          &&l_add,           &&l_sub,          &&l_mul,          &&l_div,
      &&l_pow,          &&l_atan2,         &&l_neg,          &&l_sqr,          &&l_sqrt,
      &&l_exp,          &&l_log,           &&l_sin,          &&l_cos,          &&l_tan,
      &&l_asin,         &&l_acos,          &&l_atan,         &&l_sinh,         &&l_cosh,
      &&l_tanh,         &&l_move,          &&l_powi,         &&l_mul_add,      &&l_mul_sub,
      &&l_sub_mul,      &&l_held_mul,      &&l_held_mul_add, &&l_held_mul_sub, &&l_held_sub_mul,
      &&l_select,       &&l_abs,           &&l_sign,         &&l_min,          &&l_max,
      &&l_abs_by_value, &&l_sign_by_value, &&l_min_by_value, &&l_max_by_value, &&l_compare,
      &&l_conjunction,  &&l_skip,          &&l_family,       &&l_call};
  Algebra& alg = algebra_;
  const std::uint32_t* pc = code;
  auto reg = [&](std::uint32_t address) {
    if constexpr (Algebra::fixed_stride == 1) return r + address;
    return r + address * alg.stride();
  };
#define SALTUS_NEXT(n) \
  pc += (n);           \
  goto* labels[*pc]
#define SALTUS_UNARY(name)                     \
  l_##name : alg.name(reg(pc[1]), reg(pc[2])); \
  SALTUS_NEXT(3);
#define SALTUS_BINARY(name)                                \
  l_##name : alg.name(reg(pc[1]), reg(pc[2]), reg(pc[3])); \
  SALTUS_NEXT(4);
#define SALTUS_TERNARY(name)                                           \
  l_##name : alg.name(reg(pc[1]), reg(pc[2]), reg(pc[3]), reg(pc[4])); \
  SALTUS_NEXT(5);
#define SALTUS_DECIDED(name)                                         \
  l_##name : alg.name(reg(pc[1]), reg(pc[2]), reg(pc[3]), m[pc[4]]); \
  SALTUS_NEXT(5);

  goto* labels[*pc];
  SALTUS_BINARY(add)
  SALTUS_BINARY(sub)
  SALTUS_BINARY(mul)
  SALTUS_BINARY(div)
  SALTUS_BINARY(pow)
  SALTUS_BINARY(atan2)
  SALTUS_UNARY(neg)
  SALTUS_UNARY(sqr)
  SALTUS_UNARY(sqrt)
  SALTUS_UNARY(exp)
  SALTUS_UNARY(log)
  SALTUS_UNARY(sin)
  SALTUS_UNARY(cos)
  SALTUS_UNARY(tan)
  SALTUS_UNARY(asin)
  SALTUS_UNARY(acos)
  SALTUS_UNARY(atan)
  SALTUS_UNARY(sinh)
  SALTUS_UNARY(cosh)
  SALTUS_UNARY(tanh)
l_move:
  alg.copy(reg(pc[1]), reg(pc[2]));
  SALTUS_NEXT(3);
l_powi:
  alg.powi(reg(pc[1]), reg(pc[2]), static_cast<std::int32_t>(pc[3]));
  SALTUS_NEXT(4);
  SALTUS_TERNARY(mul_add)
  SALTUS_TERNARY(mul_sub)
  SALTUS_TERNARY(sub_mul)
  SALTUS_BINARY(held_mul)
  SALTUS_TERNARY(held_mul_add)
  SALTUS_TERNARY(held_mul_sub)
  SALTUS_TERNARY(held_sub_mul)
  SALTUS_DECIDED(select)
  SALTUS_DECIDED(min)
  SALTUS_DECIDED(max)
l_abs:
  alg.abs(reg(pc[1]), reg(pc[2]), m[pc[3]]);
  SALTUS_NEXT(4);
l_sign:
  alg.sign(reg(pc[1]), m[pc[2]]);
  SALTUS_NEXT(3);
  SALTUS_UNARY(abs_by_value)
  SALTUS_UNARY(sign_by_value)
  SALTUS_BINARY(min_by_value)
  SALTUS_BINARY(max_by_value)
l_compare:
  m[pc[1]] = alg.decide(reg(pc[2]), static_cast<Test>(pc[3]));
  SALTUS_NEXT(4);
l_conjunction:
  run_conjunction(pc, m);
  SALTUS_NEXT(7);
l_skip:
  if (Algebra::Truth::excluded(m[pc[1] / 2], (pc[1] & 1U) != 0)) {
    pc = code + pc[2];
    goto* labels[*pc];
  }
  SALTUS_NEXT(3);
l_family:
  run_family(image_.families[pc[1]]);
  SALTUS_NEXT(2);
l_call:
  run_call(pc[1]);
  SALTUS_NEXT(2);
l_end:
  return;
#undef SALTUS_NEXT
#undef SALTUS_UNARY
#undef SALTUS_BINARY
#undef SALTUS_TERNARY
#undef SALTUS_DECIDED
}

}  // namespace saltus::detail
