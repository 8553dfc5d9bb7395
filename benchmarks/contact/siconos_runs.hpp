// Problems that Siconos is given, as plain numbers: what implements this is compiled as C++17, for Siconos' headers, and
// may be absent.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace saltus::bench {

struct SiconosScheme {
  bool event_driven = false;  // with LSODAR between events
  double theta = 0.5;         // of time stepping
  long n_steps = 0;           // as well; a multiple of the number of outputs
  double tolerance = 0.0;     // of LSODAR and of events; 0: as Siconos comes
};

struct SiconosRun {
  std::string failure;  // empty: it reached the end
  /// Positions and velocities, or states: at equidistant times, the last one the end.
  std::vector<std::vector<double>> outputs;
  std::uint64_t n_steps = 0;        // 0: not known
  std::uint64_t n_evaluations = 0;  // of forces; 0 where all of them are constant
  std::uint64_t n_problems = 0;     // complementarity problems and the like that had an unknown
  double seconds = 0.0;             // of its setting up and its steps
  double seconds_set_up = 0.0;
};

/// q'' = -g, thrown back with -e q' at q = 0.
struct PlainBall {
  double g, e, start, t_end;
};
/// x' = A x - b sign(x_1).
struct PlainRelay {
  std::array<std::array<double, 3>, 3> a;
  std::array<double, 3> b, start;
  double t_end;
};
/// The first one lies on the second and is driven by sin(t).
struct PlainBodies {
  double mass_1, mass_2, mu, normal_force, start_1, start_2, t_end;
};

/// Empty: Siconos is not there, and nothing else may be called.
std::string siconos_version();
SiconosRun run_siconos(const PlainBall& ball, const SiconosScheme& scheme, long n_outputs);
SiconosRun run_siconos(const PlainRelay& relay, const SiconosScheme& scheme);
SiconosRun run_siconos(const PlainBodies& bodies, const SiconosScheme& scheme);

}  // namespace saltus::bench
