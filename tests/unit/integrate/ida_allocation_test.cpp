// SUNDIALS allocates with malloc, so that is what is counted here.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdlib>

#include "unit/integrate/ida_problems.hpp"

namespace {
thread_local bool counting_mallocs = false;
thread_local long n_mallocs = 0;
}  // namespace

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && defined(__GLIBC__)
#define SALTUS_COUNTS_MALLOC 1

extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);

void* malloc(std::size_t size) {
  if (counting_mallocs) ++n_mallocs;
  return __libc_malloc(size);
}
void* calloc(std::size_t n, std::size_t size) {
  if (counting_mallocs) ++n_mallocs;
  return __libc_calloc(n, size);
}
void* realloc(void* p, std::size_t size) {
  if (counting_mallocs) ++n_mallocs;
  return __libc_realloc(p, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  if (counting_mallocs) ++n_mallocs;
  return __libc_memalign(alignment, size);
}
}
#endif

namespace saltus::test::ida {
namespace {

template <class F>
long mallocs_of(F&& work) {
  n_mallocs = 0;
  counting_mallocs = true;
  work();
  counting_mallocs = false;
  return n_mallocs;
}

TEST(IdaAllocation, NoneAfterTheFirstSteps) {
#ifndef SALTUS_COUNTS_MALLOC
  GTEST_SKIP() << "allocations are the sanitizer's";
#else
  void* volatile seen = nullptr;
  const auto allocate = [&seen] {
    seen = std::malloc(8);
    std::free(seen);
  };
  EXPECT_EQ(mallocs_of(allocate), 1) << "otherwise this test sees nothing";
  for (const auto kind : {LinearSolverKind::dense, LinearSolverKind::sparse}) {
    for (const auto& problem : {oscillator(), robertson()}) {
      EngineOptions options = tolerance(1e-6, 1e-9);
      options.linear_solver = kind;
      IdaRun run(problem, options);
      for (int k = 0; k < 3; ++k) ASSERT_TRUE(run->step(problem.t_end));
      double sum = 0.0;
      bool ok = true;
      const long n = mallocs_of([&] {
        for (int k = 0; k < 40; ++k) {
          ok = ok && run->step(problem.t_end);
          sum += run->last_step().coefficients[0];
        }
        const StepPolynomial step = run->last_step();
        ok = ok && run->shorten(0.5 * (step.t_left + step.t_right));
        ok = ok && run->start({problem.t0, problem.x0, problem.xdot0}, problem.t_end);
        for (int k = 0; k < 10; ++k) ok = ok && run->step(problem.t_end);
      });
      EXPECT_TRUE(ok && std::isfinite(sum));
      EXPECT_EQ(n, 0);
    }
  }
#endif
}

}  // namespace
}  // namespace saltus::test::ida
