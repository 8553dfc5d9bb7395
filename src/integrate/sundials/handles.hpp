// Owners of what SUNDIALS hands out.
#pragma once

#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <sundials/sundials_context.h>
#include <sundials/sundials_linearsolver.h>
#include <sundials/sundials_matrix.h>

#include <exception>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

#include <saltus/core/error.hpp>

namespace saltus::detail::sundials {

/// Everything SUNDIALS creates belongs to a context and must be gone before it.
struct FreeContext {
  void operator()(SUNContext context) const { SUNContext_Free(&context); }
};
using Context = std::unique_ptr<std::remove_pointer_t<SUNContext>, FreeContext>;
Context make_context();

struct FreeIda {
  void operator()(void* memory) const { IDAFree(&memory); }
};
using IdaMemory = std::unique_ptr<void, FreeIda>;

/// The empty shells that are filled with functions of our own; their content is not theirs.
struct FreeShell {
  void operator()(SUNMatrix matrix) const { SUNMatFreeEmpty(matrix); }
  void operator()(SUNLinearSolver solver) const { SUNLinSolFreeEmpty(solver); }
};
using MatrixShell = std::unique_ptr<std::remove_pointer_t<SUNMatrix>, FreeShell>;
using SolverShell = std::unique_ptr<std::remove_pointer_t<SUNLinearSolver>, FreeShell>;

inline std::span<double> values_of(N_Vector v) {
  return {NV_DATA_S(v), static_cast<std::size_t>(NV_LENGTH_S(v))};
}

/// A serial vector that owns its numbers, or one that looks at numbers given to it later.
class Vector {
 public:
  static Vector owning(std::size_t n, const Context& context);
  static Vector looking(std::size_t n, const Context& context);

  N_Vector get() const { return v_.get(); }
  std::span<double> values() const { return values_of(v_.get()); }
  /// For a vector that looks: the numbers, as many as its size.
  N_Vector at(double* numbers) const {
    NV_DATA_S(v_.get()) = numbers;
    return v_.get();
  }

 private:
  struct Free {
    void operator()(N_Vector v) const { N_VDestroy(v); }
  };
  explicit Vector(N_Vector v);
  std::unique_ptr<std::remove_pointer_t<N_Vector>, Free> v_;
};

/// Exceptions must not travel through the C code between a callback and whoever called the solver.
class ExceptionFence {
 public:
  /// The value of f, or the code for a failure nobody can recover from.
  template <class F>
  int hold(F&& f) noexcept {
    try {
      return std::forward<F>(f)();
    } catch (...) {
      held_ = std::current_exception();
      return -1;
    }
  }
  void release() {
    if (held_) std::rethrow_exception(std::exchange(held_, nullptr));
  }

 private:
  std::exception_ptr held_;
};

/// For calls that can only fail by a mistake of ours.
inline void must_succeed(int flag) { SALTUS_ASSERT(flag >= 0); }

}  // namespace saltus::detail::sundials
