#include <saltus/core/result.hpp>

#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <utility>

namespace {

using saltus::Failure;
using saltus::FailureCode;
using saltus::InternalError;
using saltus::Result;

Result<int> half(int x) {
  if (x % 2 != 0) return Failure{FailureCode::out_of_domain, "odd"};
  return x / 2;
}

TEST(Result, HoldsAValue) {
  const Result<int> result = half(6);
  ASSERT_TRUE(result);
  EXPECT_EQ(result.value(), 3);
  EXPECT_EQ(*result, 3);
  EXPECT_EQ(result.value_or(-1), 3);
  EXPECT_THROW(static_cast<void>(result.failure()), InternalError);
}

TEST(Result, HoldsAFailure) {
  const Result<int> result = half(5);
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.failure(), (Failure{FailureCode::out_of_domain, "odd"}));
  EXPECT_EQ(result.value_or(-1), -1);
  EXPECT_THROW(static_cast<void>(*result), InternalError);
}

TEST(Result, MisuseRepeatsTheFailure) {
  try {
    static_cast<void>(half(5).value());
    FAIL() << "no exception";
  } catch (const InternalError& error) {
    EXPECT_NE(std::string(error.what()).find("out_of_domain: odd"), std::string::npos);
  }
}

TEST(Result, ChainStopsAtTheFirstFailure) {
  int calls = 0;
  const auto counted_half = [&calls](int x) {
    ++calls;
    return half(x);
  };
  EXPECT_EQ(half(8).and_then(counted_half).and_then(counted_half).value(), 1);
  EXPECT_EQ(calls, 2);

  calls = 0;
  const Result<int> failed = half(6).and_then(counted_half).and_then(counted_half);
  EXPECT_EQ(failed.failure().message, "odd");
  EXPECT_EQ(calls, 1);
}

TEST(Result, MapChangesTheType) {
  const Result<std::string> text = half(4).map([](int x) { return std::to_string(x); });
  EXPECT_EQ(*text, "2");
  EXPECT_EQ(text->size(), 1u);
  EXPECT_EQ(half(3).map([](int x) { return std::to_string(x); }).failure().message, "odd");
}

TEST(Result, MapToNothingKeepsTheFailure) {
  int seen = 0;
  Result<void> good = half(4).map([&](int x) { seen = x; });
  EXPECT_TRUE(good);
  EXPECT_EQ(seen, 2);
  Result<void> bad = half(3).map([&](int x) { seen = x; });
  EXPECT_FALSE(bad);
  EXPECT_EQ(seen, 2);
}

TEST(Result, MovesValuesThatCannotBeCopied) {
  Result<std::unique_ptr<int>> result = std::make_unique<int>(7);
  Result<int> read = std::move(result).map([](std::unique_ptr<int> p) { return *p; });
  EXPECT_EQ(*read, 7);

  Result<std::unique_ptr<int>> failed = Failure{FailureCode::singular, "none"};
  EXPECT_EQ(*std::move(failed).value_or(std::make_unique<int>(1)), 1);
}

TEST(Result, VoidHoldsSuccessOrFailure) {
  const Result<void> good;
  EXPECT_TRUE(good);
  EXPECT_NO_THROW(good.value());
  EXPECT_EQ(good.and_then([] { return half(2); }).value(), 1);
  EXPECT_EQ(good.map([] { return 5; }).value(), 5);

  const Result<void> bad = Failure{FailureCode::interrupted, "stop"};
  EXPECT_FALSE(bad);
  EXPECT_THROW(bad.value(), InternalError);
  EXPECT_EQ(bad.and_then([] { return half(2); }).failure().message, "stop");
  EXPECT_EQ(bad.map([] { return 5; }).failure().code, FailureCode::interrupted);
}

}  // namespace
