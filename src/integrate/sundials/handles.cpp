#include "integrate/sundials/handles.hpp"

#include <new>

#include "integrate/sundials/vector_operations.hpp"

namespace saltus::detail::sundials {

Context make_context() {
  SUNContext context = nullptr;
  if (SUNContext_Create(nullptr, &context) != 0) throw std::bad_alloc();
  return Context(context);
}

Vector::Vector(N_Vector v) : v_(v) {
  if (v == nullptr) throw std::bad_alloc();
}

Vector Vector::owning(std::size_t n, const Context& context) {
  Vector vector(N_VNew_Serial(static_cast<sunindextype>(n), context.get()));
  use_own_operations(vector.get());
  N_VConst(0.0, vector.get());
  return vector;
}

Vector Vector::looking(std::size_t n, const Context& context) {
  Vector vector(N_VMake_Serial(static_cast<sunindextype>(n), nullptr, context.get()));
  use_own_operations(vector.get());
  return vector;
}

}  // namespace saltus::detail::sundials
