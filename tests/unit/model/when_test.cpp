// When-clauses as they are written.
#include <saltus/model.hpp>

#include <gtest/gtest.h>

namespace saltus {
namespace {

template <class Write>
std::string refused(Write&& write) {
  try {
    write();
  } catch (const ModelError& e) {
    return e.what();
  }
  return "not refused";
}

struct Falling {
  Model m{"ball"};
  Expr h = m.state("h", 1.0), v = m.state("v", 0.0);
  Expr n = m.discrete("n", 0.0);
  Falling() {
    m.equation("height", der(h) == v);
    m.equation("speed", der(v) == -9.81);
  }
};

TEST(When, KeepsTriggersPriorityAndEnd) {
  Falling b;
  const Cond both[] = {b.h < 0.0, b.v < -20.0};
  b.m.when_any("bounce", both, {reinit(b.v, -0.8 * pre(b.v)), {b.n, pre(b.n) + 1.0}},
               {.priority = 3});
  b.m.terminate_when("out", b.h > 9.0, "too high");
  const auto d = b.m.build();
  ASSERT_EQ(d->when_clauses().size(), 2u);
  const WhenClause& bounce = d->when_clauses()[0];
  EXPECT_EQ(bounce.conditions.size(), 2u);
  EXPECT_EQ(bounce.assignments.size(), 2u);
  EXPECT_EQ(bounce.priority, 3);
  EXPECT_FALSE(bounce.terminal);
  EXPECT_TRUE(d->when_clauses()[1].terminal);
  EXPECT_EQ(d->when_clauses()[1].message, "too high");
}

TEST(When, ASetOfAnArrayIsOnePerElement) {
  Model m("m");
  const std::vector<double> start = {1.0, 2.0};
  Expr u = m.states("u", start);
  m.equation("u", der(u) == -u);
  m.when("all", u[0] < 0.5, {reinit(u, 2.0 * pre(u))});
  const auto d = m.build();
  ASSERT_EQ(d->when_clauses()[0].assignments.size(), 2u);
  EXPECT_EQ(d->when_clauses()[0].assignments[1].target.index, 1u);
}

TEST(When, AClockCountsItsTicks) {
  Falling b;
  const Cond tick = b.m.every("clock", 0.5, 0.1);
  b.m.when("sample", tick, {{b.n, b.h}});
  const auto d = b.m.build();
  ASSERT_EQ(d->clocks().size(), 1u);
  EXPECT_EQ(d->clocks()[0].start, 0.5);
  EXPECT_EQ(d->clocks()[0].interval, 0.1);
  EXPECT_EQ(d->clocks()[0].tick(2.0), 0.7);
  ASSERT_EQ(d->when_clauses().size(), 2u);
  EXPECT_EQ(d->when_clauses()[0].conditions, d->when_clauses()[1].conditions);
  ASSERT_NE(d->find("clock.ticks"), nullptr);
  EXPECT_TRUE(d->find("clock.ticks")->hidden);
  EXPECT_FALSE(d->find("n")->hidden);
}

TEST(WhenRefusals, NameTheClause) {
  Falling b;
  b.m.when("bounce", b.h < 0.0, {reinit(b.v, -pre(b.v))});
  EXPECT_EQ(refused([&] { b.m.when("bounce", b.h < 0.0, {}); }),
            "when-clause 'bounce' is written twice");
  EXPECT_EQ(refused([&] {
              b.m.when("twice", b.h < 0.0, {{b.n, 1.0}, {b.n, 2.0}});
            }),
            "when-clause 'twice' sets 'n' twice");
  EXPECT_EQ(refused([&] {
              b.m.when_any("idle", {}, {{b.n, 1.0}});
            }),
            "when-clause 'idle' has no condition");
  EXPECT_NE(refused([&] { static_cast<void>(b.m.every("clock", 0.0, 0.0)); }).find("'clock'"),
            std::string::npos);
  Falling other;
  EXPECT_NE(refused([&] { b.m.when("stranger", other.h < 0.0, {}); }).find("another model"),
            std::string::npos);
}

TEST(WhenRefusals, ANameIsForOneRelation) {
  Falling b;
  const Cond low = b.h < 0.0;
  b.m.named("impact", low);
  EXPECT_EQ(refused([&] { b.m.named("impact", low); }), "not refused");
  EXPECT_NE(refused([&] { b.m.named("other", low); }).find("'impact' already"), std::string::npos);
  EXPECT_NE(refused([&] { b.m.named("both", low && b.v < 0.0); }).find("not a single relation"),
            std::string::npos);
}

TEST(WhenRefusals, PreOfAContinuousVariableOutsideOfAWhenClause) {
  const auto built = [](auto&& write) {
    return refused([&] {
      Falling b;
      write(b);
      b.m.build();
    });
  };
  EXPECT_NE(built([](Falling& b) { b.m.output("jump", b.h - pre(b.h)); }).find("output 'jump'"),
            std::string::npos);
  // Also where it only decides, and where it is tested along with what varies.
  EXPECT_NE(built([](Falling& b) {
              b.m.output("side", where(pre(b.h) > 1.0, Expr(1.0), Expr(2.0)));
            }).find("pre(h)"),
            std::string::npos);
  EXPECT_NE(built([](Falling& b) {
              b.m.when("w", b.h > pre(b.h) + 1.0, {{b.n, 1.0}});
            }).find("relation 'h > pre(h) + 1'"),
            std::string::npos);
  // Controls: in values, alone in a condition, and of a discrete variable anywhere.
  EXPECT_EQ(built([](Falling& b) {
              b.m.when("w", pre(b.h) > 1.0 && b.h > 0.0, {{b.n, pre(b.h)}});
              b.m.output("count", pre(b.n));
            }),
            "not refused");
}

}  // namespace
}  // namespace saltus
