// expect: static assertion failed.*write where\(condition, a, b\) instead of if
#include <saltus/expr.hpp>

saltus::Expr saturate(const saltus::Expr& x) {
#ifdef SALTUS_COMPILE_OK
  return where(x > 0, x, 0.0);
#else
  if (x > 0) return x;
  return 0.0;
#endif
}
