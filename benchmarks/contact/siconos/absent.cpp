// Where Siconos is not installed.
#include "contact/siconos_runs.hpp"

namespace saltus::bench {

std::string siconos_version() { return {}; }
SiconosRun run_siconos(const PlainBall&, const SiconosScheme&, long) { return {}; }
SiconosRun run_siconos(const PlainRelay&, const SiconosScheme&) { return {}; }
SiconosRun run_siconos(const PlainBodies&, const SiconosScheme&) { return {}; }

}  // namespace saltus::bench
