#include "integrate/sundials/handles.hpp"

#include <new>

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
  N_VConst(0.0, vector.get());
  return vector;
}

Vector Vector::looking(std::size_t n, const Context& context) {
  return Vector(N_VMake_Serial(static_cast<sunindextype>(n), nullptr, context.get()));
}

}  // namespace saltus::detail::sundials
