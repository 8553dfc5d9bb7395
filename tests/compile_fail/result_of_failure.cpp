// expect: could not tell its two cases apart
#include <saltus/core/result.hpp>

#ifdef SALTUS_COMPILE_OK
using Value = int;
#else
using Value = saltus::Failure;
#endif

bool good(const saltus::Result<Value>& result) { return result.has_value(); }
