// expect: static assertion failed.*write where\(condition, a, b\) instead of if
#include <saltus/expr.hpp>

saltus::Expr same(const saltus::Expr& x, const saltus::Expr& y) {
#ifdef SALTUS_COMPILE_OK
  return where(x == y, 1.0, 0.0);
#else
  if (x == y) return 1.0;
  return 0.0;
#endif
}
