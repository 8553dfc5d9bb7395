// Eight instances at once with vector instructions and glibc's vector mathematics (libmvec).
//
// The loop is written once and compiled for three instruction sets; the best one the processor has
// is chosen at run time. Arithmetic stays IEEE and equal to every other tier; the elementary
// functions may differ from scalar ones by up to 4 ulp, which is why this is opt-in.
#include "evaluator_impl.hpp"

namespace saltus {

namespace detail {

struct VectorMathAlgebra : ScalarAlgebra<Batch> {
  using ScalarAlgebra<Batch>::ScalarAlgebra;
};

namespace {

/// Runs until an instruction that concerns more than registers; returns where it stopped.
using Loop = const std::uint32_t* (*)(const std::uint32_t* code, const std::uint32_t* pc, Batch* r,
                                      std::uint8_t* m, bool* undecided);

// clang does not pass wide vectors between functions for different instruction sets, not even inlined ones.
#if defined(__x86_64__) && defined(__GLIBC__) && !defined(__clang__)

typedef double V8 __attribute__((vector_size(64), may_alias));
typedef double V4 __attribute__((vector_size(32), may_alias));
typedef double V2 __attribute__((vector_size(16), may_alias));
typedef long long M8 __attribute__((vector_size(64)));

#define SALTUS_AVX512 __attribute__((target("avx512f,avx512dq")))
#define SALTUS_AVX2 __attribute__((target("avx2")))
#define SALTUS_INLINE static inline __attribute__((always_inline))

#define SALTUS_VECTOR_FUNCTIONS(X) \
  X(exp) X(log) X(sin) X(cos) X(tan) X(asin) X(acos) X(atan) X(sinh) X(cosh) X(tanh)

#define SALTUS_DECLARE(f)            \
  SALTUS_AVX512 V8 _ZGVeN8v_##f(V8); \
  SALTUS_AVX2 V4 _ZGVdN4v_##f(V4);   \
  V2 _ZGVbN2v_##f(V2);
extern "C" {
SALTUS_VECTOR_FUNCTIONS(SALTUS_DECLARE)
SALTUS_AVX512 V8 _ZGVeN8vv_pow(V8, V8);
SALTUS_AVX512 V8 _ZGVeN8vv_atan2(V8, V8);
SALTUS_AVX2 V4 _ZGVdN4vv_pow(V4, V4);
SALTUS_AVX2 V4 _ZGVdN4vv_atan2(V4, V4);
V2 _ZGVbN2vv_pow(V2, V2);
V2 _ZGVbN2vv_atan2(V2, V2);
}
#undef SALTUS_DECLARE

// How each instruction set reaches its functions: all eight lanes, or four or two at a time. These
// are calls, not inlined: the loop below is written for no instruction set in particular.
#define SALTUS_WHOLE(f) \
  SALTUS_AVX512 static void f(V8* r, const V8* a) { *r = _ZGVeN8v_##f(*a); }
#define SALTUS_HALVES(f)                                                             \
  SALTUS_AVX2 static void f(V8* r, const V8* a) {                                    \
    for (int i = 0; i < 2; ++i)                                                      \
      reinterpret_cast<V4*>(r)[i] = _ZGVdN4v_##f(reinterpret_cast<const V4*>(a)[i]); \
  }
#define SALTUS_QUARTERS(f)                                                           \
  static void f(V8* r, const V8* a) {                                                \
    for (int i = 0; i < 4; ++i)                                                      \
      reinterpret_cast<V2*>(r)[i] = _ZGVbN2v_##f(reinterpret_cast<const V2*>(a)[i]); \
  }
#define SALTUS_WHOLE_2(f) \
  SALTUS_AVX512 static void f(V8* r, const V8* a, const V8* b) { *r = _ZGVeN8vv_##f(*a, *b); }
#define SALTUS_HALVES_2(f)                                                                     \
  SALTUS_AVX2 static void f(V8* r, const V8* a, const V8* b) {                                 \
    for (int i = 0; i < 2; ++i)                                                                \
      reinterpret_cast<V4*>(r)[i] =                                                            \
          _ZGVdN4vv_##f(reinterpret_cast<const V4*>(a)[i], reinterpret_cast<const V4*>(b)[i]); \
  }
#define SALTUS_QUARTERS_2(f)                                                                   \
  static void f(V8* r, const V8* a, const V8* b) {                                             \
    for (int i = 0; i < 4; ++i)                                                                \
      reinterpret_cast<V2*>(r)[i] =                                                            \
          _ZGVbN2vv_##f(reinterpret_cast<const V2*>(a)[i], reinterpret_cast<const V2*>(b)[i]); \
  }

struct Avx512 {
  SALTUS_VECTOR_FUNCTIONS(SALTUS_WHOLE)
  SALTUS_WHOLE_2(pow)
  SALTUS_WHOLE_2(atan2)
};
struct Avx2 {
  SALTUS_VECTOR_FUNCTIONS(SALTUS_HALVES)
  SALTUS_HALVES_2(pow)
  SALTUS_HALVES_2(atan2)
};
struct Sse2 {
  SALTUS_VECTOR_FUNCTIONS(SALTUS_QUARTERS)
  SALTUS_QUARTERS_2(pow)
  SALTUS_QUARTERS_2(atan2)
};

SALTUS_INLINE M8 mask(std::uint8_t m) {
  const M8 bit = {1, 2, 4, 8, 16, 32, 64, 128};
  return (bit & static_cast<long long>(m)) != 0;
}

SALTUS_INLINE V8 root(const V8& a) {
  V8 r;
  for (int i = 0; i < 8; ++i) r[i] = __builtin_sqrt(a[i]);
  return r;
}

SALTUS_INLINE V8 power(const V8& x, std::int32_t n) {
  V8 r;  // the multiplications of saltus::powi, in its order
  for (int i = 0; i < 8; ++i) r[i] = saltus::powi(x[i], n);
  return r;
}

// A function with computed gotos cannot be inlined into a function for another instruction set, so
// its text is compiled three times.
#define SALTUS_LOOP loop_avx512
#define SALTUS_LOOP_FUNCTIONS Avx512
#define SALTUS_LOOP_TARGET SALTUS_AVX512
#include "vector_loop.inc"
#define SALTUS_LOOP loop_avx2
#define SALTUS_LOOP_FUNCTIONS Avx2
#define SALTUS_LOOP_TARGET SALTUS_AVX2
#include "vector_loop.inc"
#define SALTUS_LOOP loop_sse2
#define SALTUS_LOOP_FUNCTIONS Sse2
#define SALTUS_LOOP_TARGET
#include "vector_loop.inc"

Loop best_loop() {
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq")) return loop_avx512;
  if (__builtin_cpu_supports("avx2")) return loop_avx2;
  return loop_sse2;
}

#else

Loop best_loop() { return nullptr; }

#endif

}  // namespace

template <>
void Machine<VectorMathAlgebra>::execute(const std::uint32_t* code, Batch* r, std::uint8_t* m) {
  static const Loop loop = best_loop();
  SALTUS_ASSERT(loop != nullptr);
  const std::uint32_t* pc = code;
  for (;;) {
    pc = loop(code, pc, r, m, &algebra_.undecided);
    switch (static_cast<Code>(*pc)) {
      case Code::family:
        run_family(image_.families[pc[1]]);
        break;
      case Code::call:
        run_call(pc[1]);
        break;
      case Code::conjunction:
        run_conjunction(pc, m);
        break;
      default:
        return;
    }
    pc += length_of(static_cast<Code>(*pc));
  }
}

}  // namespace detail

template class BasicEvaluator<detail::VectorMathAlgebra, Batch>;

VectorMathEvaluator::VectorMathEvaluator(std::shared_ptr<const Program> program)
    : BasicEvaluator<detail::VectorMathAlgebra, Batch>(std::move(program), 0) {
  if (!available()) throw ModelError("this platform has no vector mathematics library");
}
bool VectorMathEvaluator::available() { return detail::best_loop() != nullptr; }
std::span<Batch> VectorMathEvaluator::input(std::size_t segment) {
  return machine_->input(segment);
}
std::span<const Batch> VectorMathEvaluator::outputs() const { return machine_->outputs(); }

}  // namespace saltus
