// expect: (no matching function.*at_least|constraints not satisfied)
#include <saltus/core/options.hpp>

struct Options {
#ifdef SALTUS_COMPILE_OK
  int label = 3;
#else
  std::string label = "a text has no bounds";
#endif
};

template <class V>
void describe(Options& o, V& field) {
  field("label", o.label).at_least(1);
}

void use(const Options& options) { saltus::validate_options(options); }
