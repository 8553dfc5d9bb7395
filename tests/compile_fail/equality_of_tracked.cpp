// expect: use of deleted function 'bool saltus::operator==
#include <span>

#include <saltus/system/template_system.hpp>

struct Code {
  template <class T>
  void operator()(const T&, std::span<const T> x, std::span<T> xdot) const {
#ifdef SALTUS_COMPILE_OK
    xdot[0] = x[0] >= 0 ? T(1) : T(2);
#else
    xdot[0] = x[0] == 0 ? T(1) : T(2);
#endif
  }
};

auto make() { return saltus::make_template_system({.unknowns = {{"x"}}}, Code{}); }
