// Random hybrid DAEs on several engines at two tolerances: they agree, or say what they could not tell.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "problems/random_hybrid_study.hpp"

namespace saltus {
namespace {

using problems::RandomHybrid;

void expect_agreement(std::uint64_t first_seed, std::uint64_t n) {
  const problems::HybridStudy study = problems::study_hybrids(first_seed, n);
  for (const std::string& complaint : study.complaints) ADD_FAILURE() << complaint;
  EXPECT_GT(study.counts.at(problems::HybridVerdict::agrees), n / 2);
}

TEST(RandomHybrids, AgreeOnAllEnginesOrSayWhatIsNotCertain) { expect_agreement(20261118, 20); }

class SlowRandomHybrids : public testing::TestWithParam<std::uint64_t> {};
TEST_P(SlowRandomHybrids, AgreeOnAllEnginesOrSayWhatIsNotCertain) {
  constexpr std::uint64_t each = 30;
  expect_agreement(25500000 + each * GetParam(), each);
}
INSTANTIATE_TEST_SUITE_P(Thirty, SlowRandomHybrids, testing::Range<std::uint64_t>(0, 6));

void count_tests(const RandomHybrid::Condition& when, std::map<std::string, int>& n) {
  using Read = RandomHybrid::Read;
  constexpr const char* joined[] = {"alone", "both", "either", "not both"};
  ++n[joined[static_cast<int>(when.joined)]];
  for (const RandomHybrid::Test& test : {when.first, when.second}) {
    if (test.at.what == Read::implicit) ++n["of an implicit unknown"];
    if (test.at.what == Read::force) ++n["of a force"];
    if (test.at.what == Read::time) ++n["of time"];
    if (test.at.what == Read::count) ++n["behind a clause"];
    if (test.at.what == Read::height) ++n["of a height"];
  }
}

TEST(RandomHybrids, HaveEveryShape) {
  std::map<std::string, int> n;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    const RandomHybrid h = problems::random_hybrid(seed);
    for (const auto& c : h.constrained) ++n[c.index == 3 ? "index 3" : "index 2"];
    for (const auto& c : h.clauses) {
      count_tests(c.when, n);
      if (c.when.first.at.what == RandomHybrid::Read::state &&
          c.when.first.level == h.states[c.when.first.at.number].start)
        ++n["start on a threshold"];
      if (c.when.first.at.what == RandomHybrid::Read::time && c.when.first.level == h.t_end)
        ++n["clause at the end"];
      if (c.does == RandomHybrid::Does::only_sets) ++n["writes what may be there"];
    }
    for (const auto& b : h.branches) {
      count_tests(b.when, n);
      if (b.hysteresis > 0) ++n["hysteresis"];
    }
    for (const auto& s : h.samplers)
      if (s.follows >= 0) ++n["clock behind a clock"];
    for (const auto& r : h.relays)
      if (r.at.what == RandomHybrid::Read::implicit) ++n["relay of an implicit unknown"];
    for (const auto& p : h.pairs) ++n[p.stops ? "stop" : "modes"];
    for (const auto& b : h.balls) ++n[b.carries ? "stack" : b.mu > 0 ? "rubbing ball" : "ball"];
    n["kink"] += static_cast<int>(h.kinks.size());
    n["memory"] += static_cast<int>(h.switches.size());
    n["block"] += static_cast<int>(h.blocks.size());
    EXPECT_TRUE(h.balls.empty() || (h.pairs.empty() && h.constrained.empty())) << seed;
  }
  for (const char* shape : {"index 2",
                            "index 3",
                            "alone",
                            "both",
                            "either",
                            "not both",
                            "of an implicit unknown",
                            "of a force",
                            "of time",
                            "behind a clause",
                            "of a height",
                            "start on a threshold",
                            "clause at the end",
                            "writes what may be there",
                            "hysteresis",
                            "clock behind a clock",
                            "relay of an implicit unknown",
                            "modes",
                            "stop",
                            "ball",
                            "rubbing ball",
                            "stack",
                            "kink",
                            "memory",
                            "block"})
    EXPECT_GE(n[shape], 4) << shape;
}

/// x' = 0.6 sin(0.5 t) - 0.1 x from 0, which rises to about 1.8 until t = 5.
RandomHybrid rising() {
  RandomHybrid h;
  h.t_end = 5.037;
  h.states.push_back({0.0, 0.1, {0.6, 0.5, 0.0}});
  return h;
}

TEST(RandomHybrids, AreMovedWhereTheyAreToldTo) {
  RandomHybrid h = rising();
  h.states[0] = {0.0, -0.5, {}};  // stays at zero; what is moved grows like exp(t / 2)
  const problems::HybridRun run = problems::run_hybrid(h, EngineKind::radau, 1e-8);
  for (const double t : {0.0, 1.0, 4.0}) {
    const double growth = std::exp(0.5 * (h.t_end - t));
    // A smooth stretch: what radau errs there is far below a tenth of a tolerance.
    EXPECT_NEAR(problems::amplification_from(h, run, t), growth, 0.1 * growth) << t;
  }
}

/// What is said of a run of one model by what holds for another.
std::string complaint_of(const RandomHybrid& run, const RandomHybrid& told) {
  const problems::HybridRun r{EngineKind::radau, 1e-6};
  const Solution s = simulate(problems::model_of(run), problems::options_of(run, r));
  EXPECT_TRUE(s.ok()) << s.report.message;
  const problems::RandomHybridOracle oracle(told, s);
  return oracle.sunk_ball() + oracle.complaint();
}

TEST(RandomHybridOracle, FindsAClauseThatIsOverlooked) {
  RandomHybrid run = rising();
  const RandomHybrid::Place x{RandomHybrid::Read::state, 0};
  run.clauses.push_back({{{x, true, 5.0}}});
  EXPECT_EQ(complaint_of(run, run), "");
  RandomHybrid told = run;
  told.clauses[0].when.first.level = 1.0;
  EXPECT_NE(complaint_of(run, told).find("clause0 has been overlooked"), std::string::npos);
  told.clauses[0].when.first.level = 0.0;  // where it starts
  EXPECT_NE(complaint_of(run, told).find("clause0 has been overlooked"), std::string::npos);
}

TEST(RandomHybridOracle, FindsClocksThatMissATickOrDoNotMeet) {
  RandomHybrid run = rising();
  run.samplers = {{0.1, 0.1, 0, 0, 0.0, -1}, {0.1, 0.1, 0, 0, 0.0, -1}};
  EXPECT_EQ(complaint_of(run, run), "");
  RandomHybrid told = run;
  told.samplers[1].interval = 0.07;
  EXPECT_NE(complaint_of(run, told).find("sampler1 has ticked 50 times instead of 71"),
            std::string::npos);
  run.samplers[1].start = 0.1 + 1e-9;
  EXPECT_NE(complaint_of(run, run).find("clocks do not meet"), std::string::npos);
}

TEST(RandomHybridOracle, FindsABallBelowItsFloor) {
  RandomHybrid run = rising();
  run.balls.push_back({});
  EXPECT_EQ(complaint_of(run, run), "");
  RandomHybrid told = run;
  told.balls[0].floor = {0.3, 1.0, 0.0};
  EXPECT_NE(complaint_of(run, told).find("ball 0 is below its floor"), std::string::npos);
}

}  // namespace
}  // namespace saltus
