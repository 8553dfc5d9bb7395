// Evaluators run programs: one evaluator per thread, one class per algebra.
//
//   auto program = compile(graph, outputs, {time_segment, parameters, states});
//   Evaluator<double> f(program);
//   f.input(2)[0] = 1.5;        // or f.bind(2, x) to read the caller's own vector
//   f.run();
//   use(f.outputs());
//
// The algebras are double; Batch (eight instances of a model at once, each lane bitwise equal to a
// run of its own); Interval (an enclosure of the range over a box); and Quad. TaylorEvaluator<T>
// works on truncated series over double, Interval or Quad.
//
// An evaluator owns all memory it writes to. Running allocates nothing; binding an argument for the
// first time does.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include <saltus/expr/program.hpp>
#include <saltus/numerics/batch.hpp>
#include <saltus/numerics/interval.hpp>
#include <saltus/numerics/quad.hpp>

namespace saltus {

/// Values of a mode byte, the truth of a relation.
///   double, Quad, Taylor: 0 or 1.
///   Interval: 0, 1, or lock_undecided (both branches are possible, and their hull is taken).
///             In an unlocked run abs, min and max are tighter than the hull.
///   Batch: one bit per instance; set_lock sets all eight.
/// After an unlocked run, a relation that was skipped with its branch reads lock_inactive.
/// Exceptions: Batch skips a branch only if no instance takes it, and families evaluate both
/// branches, so that every relation has a value.
inline constexpr std::uint8_t lock_false = 0;
inline constexpr std::uint8_t lock_true = 1;
inline constexpr std::uint8_t lock_undecided = 2;
inline constexpr std::uint8_t lock_inactive = 3;

namespace detail {
template <class Algebra>
class Machine;
template <class T>
struct ScalarAlgebra;
template <class T>
struct TaylorAlgebra;
struct VectorMathAlgebra;
}  // namespace detail

/// The common part of the evaluators of all algebras.
template <class Algebra, class T>
class BasicEvaluator {
 public:
  ~BasicEvaluator();
  BasicEvaluator(BasicEvaluator&&) noexcept;
  BasicEvaluator& operator=(BasicEvaluator&&) noexcept;

  const Program& program() const;

  /// Returns one byte per switch of the graph. A locked program needs the lock of every switch it
  /// reads before it runs, usually those that an unlocked program left at the same point. Setting a
  /// lock is a store, without analysis or recompilation. An unlocked program overwrites the locks.
  std::span<const std::uint8_t> locks() const;
  void set_lock(SwitchId which, std::uint8_t value);
  void set_locks(std::span<const std::uint8_t> values);

  /// For Batch only: one bit per instance instead of the same lock for all eight.
  void set_lock_mask(SwitchId which, std::uint8_t mask) requires std::same_as<T, Batch>;

  /// Evaluates. The prologue is repeated if a parameter, discrete or previous value has changed.
  void run();

  /// Returns false if some conditional of the last run was not decided: over a box because both
  /// branches are possible, at a point because its switching function is NaN. A result over a box
  /// is still an enclosure of the values. An enclosure of a *derivative* encloses slopes between
  /// points of the box only if the value itself, run over the same box, is decided: the derivative
  /// does not show a jump.
  bool all_decided() const;

 protected:
  BasicEvaluator(std::shared_ptr<const Program> program, int order);
  void check_lock(SwitchId which) const;
  std::unique_ptr<detail::Machine<Algebra>> machine_;
};

/// Evaluates in a scalar algebra: T = double, Batch, Interval or Quad. Throws ModelError if the
/// program calls an external function without the required ability.
template <class T>
class Evaluator : public BasicEvaluator<detail::ScalarAlgebra<T>, T> {
 public:
  explicit Evaluator(std::shared_ptr<const Program> program);

  /// Returns the evaluator's own storage of an argument, for writing.
  std::span<T> input(std::size_t segment);
  /// Reads an argument from the caller's memory from now on, which must stay valid. An empty span
  /// returns to the evaluator's own storage.
  void bind(std::size_t segment, std::span<const T> values);

  /// Returns the outputs, valid until the next run.
  std::span<const T> outputs() const;

  /// Calls bind, run and outputs at once, for use in loops.
  std::span<const T> run_with(std::size_t segment, std::span<const T> values);
};

/// Evaluates eight instances at once with the vector mathematics of the system (libmvec), if the
/// processor supports it. Functions then differ from scalar ones by up to 4 ulp, hence this is
/// opt-in.
class VectorMathEvaluator : public BasicEvaluator<detail::VectorMathAlgebra, Batch> {
 public:
  explicit VectorMathEvaluator(std::shared_ptr<const Program> program);
  /// Returns false if vector functions do not exist; the constructor then throws.
  static bool available();
  std::span<Batch> input(std::size_t segment);
  std::span<const Batch> outputs() const;
};

/// Evaluates in truncated series sum_k c_k tau^k, k = 0 … order, over T = double, Interval or Quad.
template <class T>
class TaylorEvaluator : public BasicEvaluator<detail::TaylorAlgebra<T>, T> {
 public:
  TaylorEvaluator(std::shared_ptr<const Program> program, int order);

  int order() const { return order_; }
  /// Returns coefficients 0 … order of element i of an argument.
  std::span<T> input(std::size_t segment, std::size_t i);
  std::span<const T> output(std::size_t i) const;

 private:
  int order_;
};

}  // namespace saltus
