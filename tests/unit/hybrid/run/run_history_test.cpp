// Runs that are saved, and go on elsewhere.
#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <string>

#include <saltus/simulate.hpp>

#include "hybrid/run/run_history.hpp"
#include "support/same_bits.hpp"

namespace saltus {
namespace {

using HybridRun = Run;  // GoogleTest has one of its own

std::string refusal(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

/// A ball on a table that is lifted from outside.
void write_ball(Model& m) {
  const Expr h = m.state("h", 1.0), v = m.state("v", 0.0), table = m.outside_input("table", 0.0);
  m.equation(der(h) == v);
  m.equation(der(v) == -9.81);
  m.when("bounce", h < table, {reinit(v, -0.8 * pre(v))});
}

RunOptions until(double t_end, EngineKind engine = EngineKind::dopri5) {
  RunOptions options;
  options.t_end = t_end;
  options.engine = engine;
  return options;
}

/// Some steps, looks and changes.
void go_on(HybridRun& run, int seed, double t_end) {
  std::mt19937 random(static_cast<unsigned>(seed));
  std::uniform_real_distribution<double> pause(0.0, 0.2), height(-0.1, 0.1);
  for (double t = run.t(); t < t_end; t += pause(random)) {
    run.advance_to(t);
    if (random() % 3 == 0) run.advance();
    if (random() % 4 == 0) run.set_input("table", height(random));
    if (run.t() > t) t = run.t();
  }
}

TEST(Saved, ARunGoesOnBitByBit) {
  for (const EngineKind engine :
       {EngineKind::dopri5, EngineKind::dop853, EngineKind::radau, EngineKind::ida}) {
    for (int seed = 0; seed < 5; ++seed) {
      Model m("ball");
      write_ball(m);
      HybridRun first = start_run(m, until(2.0, engine));
      go_on(first, seed, 1.0);
      const std::string saved = first.save();
      HybridRun second = start_run(m, until(2.0, engine));
      second.restore(saved);
      EXPECT_EQ(second.t(), first.t());
      EXPECT_EQ(second.save(), saved);
      for (HybridRun* run : {&first, &second}) {
        go_on(*run, seed + 100, 1.5);
        while (run->advance()) {
        }
      }
      EXPECT_EQ(test::difference(first.finish(), second.finish()), "");
    }
  }
}

TEST(Saved, AnswersToQuestionsAreRepeated) {
  const auto started = [] {
    Model m("asked");
    const Expr x = m.state("x", 1.0);
    m.equation(der(x) == where(x > 0.0, -1.0, 1.0));
    RunOptions options = until(2.0);
    options.events.surface = SurfacePolicy::stop;
    return start_run(m, options);
  };
  HybridRun first = started();
  while (first.advance()) {
  }
  ASSERT_FALSE(first.decision().empty());
  first.choose(0);
  first.advance();
  HybridRun second = started();
  second.restore(first.save());
  while (first.advance() && second.advance()) {
  }
  EXPECT_EQ(test::difference(first.finish(), second.finish()), "");
}

TEST(Saved, OtherRunsAreRefusedByName) {
  Model m("ball"), other("other ball");
  write_ball(m);
  write_ball(other);
  HybridRun run = start_run(m, until(2.0));
  run.advance();
  const std::string saved = run.save();
  const auto restored = [&](const Model& model, RunOptions options, const std::string& text) {
    return refusal([&] { start_run(model, options).restore(text); });
  };
  EXPECT_EQ(restored(m, until(2.0), saved), "");
  EXPECT_EQ(restored(other, until(2.0), saved),
            "this snapshot is of model 'ball', not of 'other ball'");
  EXPECT_EQ(restored(m, until(3.0), saved),
            "this snapshot is of a run with t_end = 2, engine = dopri5, and this run has t_end = "
            "3, engine = dopri5");
  EXPECT_EQ(refusal([&] { run.restore(saved); }),
            "a run that has gone on cannot be restored: start another one of this model");
  // Another model of the same name.
  Model changed("ball");
  const Expr x = changed.state("h", 1.0);
  changed.equation(der(x) == -x);
  EXPECT_NE(restored(changed, until(2.0), saved).find("leads to another state"), std::string::npos);
}

TEST(Saved, EveryChangedByteIsNoticed) {
  Model m("ball");
  write_ball(m);
  HybridRun run = start_run(m, until(2.0));
  run.advance();
  const std::string saved = run.save();
  for (std::size_t i = 0; i < saved.size(); ++i) {
    std::string changed = saved;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    EXPECT_NE(refusal([&] { (void)detail::RunHistory::from_text(changed); }), "") << i;
    EXPECT_NE(refusal([&] { (void)detail::RunHistory::from_text(saved.substr(0, i)); }), "") << i;
  }
}

TEST(Saved, NamesMayContainAnyCharacter) {
  detail::RunHistory history;
  history.model = "two\nlines, a \\n and a \\";
  history.options.push_back({"output.variables", "a\nb\\", "", true});
  history.calls.push_back(
      {.kind = detail::RunCall::Kind::set_input, .input = "u\n1 2\\", .values = {1.5, -0.0}});
  history.state = "0123456789abcdef";
  const detail::RunHistory read = detail::RunHistory::from_text(history.to_text());
  EXPECT_EQ(read.model, history.model);
  EXPECT_EQ(read.options[0].given, history.options[0].given);
  EXPECT_EQ(read.calls[0].input, history.calls[0].input);
  EXPECT_EQ(read.calls[0].values, history.calls[0].values);
}

}  // namespace
}  // namespace saltus
