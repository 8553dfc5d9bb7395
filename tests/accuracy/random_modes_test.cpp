// Models with modes and random parameters: coarse runs change their modes as fine ones do, and end where they
// end, on every engine.
#include <cmath>

#include <gtest/gtest.h>

#include "problems/random_mode_models.hpp"

namespace saltus::problems {
namespace {

std::string mode_sequence(const Solution& s) {
  std::string text;
  for (const EventInstant& i : s.instants()) {
    if (i.mode_before != i.mode_after) text += i.mode_before + " > " + i.mode_after + "; ";
  }
  return text;
}

/// Empty if both agree.
std::string difference(const Solution& s, const Solution& fine, const RandomModeModel& model,
                       double allowed) {
  if (!s.ok()) return s.report.message;
  if (mode_sequence(s) != mode_sequence(fine))
    return mode_sequence(s) + "instead of " + mode_sequence(fine);
  for (const std::string& v : model.compared) {
    const double error = std::abs(s.final(v) - fine.final(v)) / (1 + std::abs(fine.final(v)));
    if (!(error <= allowed)) return v + " is off by " + to_text(error);
  }
  return {};
}

void compare_coarse_with_fine(std::uint64_t first_seed, std::uint64_t n_seeds) {
  for (std::uint64_t seed = first_seed; seed < first_seed + n_seeds; ++seed) {
    for (int family = 0; family < RandomModeWriter::n_families; ++family) {
      const RandomModeModel model = RandomModeWriter(seed).write(family);
      RunOptions o = {
          .t_end = model.t_end, .rtol = 1e-11, .atol = 1e-11, .engine = EngineKind::radau};
      const Solution fine = simulate(model.definition, o);
      ASSERT_TRUE(fine.ok()) << "seed " << seed << " " << model.text << ": " << fine.report.message;
      for (const EngineKind engine : {EngineKind::radau, EngineKind::ida, EngineKind::automatic}) {
        for (const double tolerance : {1e-4, 1e-8}) {
          o.engine = engine;
          o.rtol = o.atol = tolerance;
          const double allowed = (engine == EngineKind::ida ? 5000 : 300) * tolerance;
          EXPECT_EQ(difference(simulate(model.definition, o), fine, model, allowed), "")
              << "seed " << seed << " " << model.text << " " << name(engine) << " " << tolerance;
        }
      }
    }
  }
}

TEST(RandomModes, CoarseRunsDoWhatFineOnesDo) { compare_coarse_with_fine(1, 1); }
TEST(SlowRandomModes, CoarseRunsDoWhatFineOnesDo) { compare_coarse_with_fine(100, 40); }

TEST(RandomModes, AnotherModelIsNoticed) {
  const RandomModeModel one = RandomModeWriter(1).write(0), other = RandomModeWriter(2).write(0);
  const RunOptions o = {.t_end = one.t_end, .engine = EngineKind::radau};
  EXPECT_NE(difference(simulate(one.definition, o), simulate(other.definition, o), one, 1e-3), "");
}

}  // namespace
}  // namespace saltus::problems
