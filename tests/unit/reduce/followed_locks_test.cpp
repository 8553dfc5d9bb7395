// Locks of a raw system below a reduced one: what counts as other equations.
#include <gtest/gtest.h>

#include "reduce/reduced/followed_locks.hpp"

namespace saltus::detail {
namespace {

struct WithoutLocks : Workspace {
  Evaluation residual(double, std::span<const double>, std::span<const double>,
                      std::span<double>) override {
    return Evaluation::ok();
  }
  Evaluation jacobian(double, std::span<const double>, std::span<const double>, std::span<double>,
                      std::span<double>) override {
    return Evaluation::ok();
  }
};

/// Lock 0 chooses an equation, lock 1 one that is there where lock 0 is true, lock 2 an output.
struct ThreeLocks final : WithoutLocks, Locks {
  ThreeLocks() { offer<Locks>(*this); }
  std::span<const std::uint8_t> locks() const override { return now; }
  void set_lock(std::uint32_t which, bool truth) override { now[which] = truth ? 1 : 0; }
  Evaluation decide(double, std::span<const double> x, std::span<const double>) override {
    for (std::size_t i = 0; i < now.size(); ++i) now[i] = x[0] > 0 ? 1 : 0;
    return Evaluation::ok();
  }
  std::uint32_t n_equation_branches() const override { return 2; }
  std::uint32_t n_branches() const override { return 3; }
  void branches(std::span<std::uint8_t> truth) const override {
    truth[0] = now[0];
    truth[1] = now[0] != 0 ? now[1] : 0;
    truth[2] = now[2];
  }
  std::vector<std::uint8_t> now{0, 0, 0};
};

TEST(FollowedLocks, ASystemWithoutLocksOffersNone) {
  WithoutLocks raw;
  FollowedLocks followed(raw);
  EXPECT_EQ(followed.offered(), nullptr);
  followed.begin_again();
  EXPECT_FALSE(followed.have_changed_equations());
}

TEST(FollowedLocks, OtherEquationsAreToldOnce) {
  ThreeLocks raw;
  FollowedLocks followed(raw);
  ASSERT_NE(followed.offered(), nullptr);
  EXPECT_FALSE(followed.have_changed_equations());
  followed.offered()->set_lock(0, true);
  EXPECT_EQ(raw.now[0], 1);
  EXPECT_TRUE(followed.have_changed_equations());
  EXPECT_FALSE(followed.have_changed_equations());
  followed.offered()->set_lock(0, false);  // compared with the last ones, not with the first
  EXPECT_TRUE(followed.have_changed_equations());
}

TEST(FollowedLocks, OutputsAndBranchesThatAreNotTakenDoNotCount) {
  ThreeLocks raw;
  FollowedLocks followed(raw);
  followed.offered()->set_lock(2, true);
  EXPECT_FALSE(followed.have_changed_equations());
  followed.offered()->set_lock(1, true);
  EXPECT_FALSE(followed.have_changed_equations());
  followed.offered()->set_lock(0, true);
  EXPECT_TRUE(followed.have_changed_equations());
  followed.offered()->set_lock(1, false);
  EXPECT_TRUE(followed.have_changed_equations());
}

TEST(FollowedLocks, WhatWasSetBackHasNotChanged) {
  ThreeLocks raw;
  FollowedLocks followed(raw);
  followed.offered()->set_lock(0, true);
  followed.offered()->set_lock(0, false);
  EXPECT_FALSE(followed.have_changed_equations());
}

TEST(FollowedLocks, LocksThatAPointDecidesAreNoticedAsWell) {
  ThreeLocks raw;
  FollowedLocks followed(raw);
  const std::vector<double> above{1.0}, below{-1.0};
  EXPECT_TRUE(followed.offered()->decide(0.0, above, above));
  EXPECT_TRUE(followed.have_changed_equations());
  EXPECT_TRUE(followed.offered()->decide(0.0, above, above));
  EXPECT_FALSE(followed.have_changed_equations());
  EXPECT_TRUE(followed.offered()->decide(0.0, below, above));
  EXPECT_TRUE(followed.have_changed_equations());
}

TEST(FollowedLocks, FromAnotherBeginningTheEquationsAreThoseOfItsLocks) {
  ThreeLocks raw;
  raw.now = {1, 0, 0};  // before it is followed
  FollowedLocks followed(raw);
  followed.offered()->set_lock(1, true);
  followed.begin_again();
  EXPECT_FALSE(followed.have_changed_equations());
  followed.offered()->set_lock(2, true);  // an output: the equations are still those of then
  EXPECT_FALSE(followed.have_changed_equations());
  followed.offered()->set_lock(1, false);
  EXPECT_TRUE(followed.have_changed_equations());
}

}  // namespace
}  // namespace saltus::detail
