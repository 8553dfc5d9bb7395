#include <saltus/core/error.hpp>

#include <gtest/gtest.h>
#include <set>
#include <string>
#include <type_traits>

namespace {

using saltus::FailureCode;

std::string message_of_failed_assertion() {
  try {
    SALTUS_ASSERT(1 + 1 == 3);
  } catch (const saltus::InternalError& error) {
    return error.what();
  }
  return {};
}

TEST(Assert, NamesExpressionFileAndLine) {
  const std::string message = message_of_failed_assertion();
  EXPECT_NE(message.find("1 + 1 == 3"), std::string::npos) << message;
  EXPECT_NE(message.find("error_test.cpp:14"), std::string::npos) << message;
}

TEST(Assert, LeavesOutTheFolder) {
  EXPECT_EQ(message_of_failed_assertion().find('/'), std::string::npos);
}

TEST(Assert, FileWithoutFolderIsKept) {
  try {
    saltus::detail::assertion_failed("x", "plain.cpp", 7);
  } catch (const saltus::InternalError& error) {
    EXPECT_NE(std::string(error.what()).find("at plain.cpp:7"), std::string::npos);
  }
}

TEST(Assert, EvaluatesItsConditionOnceAndPasses) {
  int count = 0;
  EXPECT_NO_THROW(SALTUS_ASSERT(++count == 1));
  EXPECT_EQ(count, 1);
}

TEST(Errors, TiersDoNotMix) {
  EXPECT_FALSE((std::is_base_of_v<saltus::Error, saltus::InternalError>));
  EXPECT_TRUE((std::is_base_of_v<saltus::Error, saltus::ModelError>));
  EXPECT_TRUE((std::is_base_of_v<saltus::Error, saltus::OptionError>));
}

TEST(Errors, NameTheirSubject) {
  const saltus::ModelError model("equation 'e1'", "has no unknown");
  EXPECT_EQ(model.subject(), "equation 'e1'");
  EXPECT_STREQ(model.what(), "equation 'e1': has no unknown");

  const saltus::OptionError option("newton.rtol", "too small");
  EXPECT_EQ(option.field(), "newton.rtol");
  EXPECT_STREQ(option.what(), "option 'newton.rtol': too small");
}

TEST(Errors, EveryFailureCodeHasItsOwnName) {
  std::set<std::string_view> names;
  const int last = static_cast<int>(FailureCode::interrupted);
  for (int code = 0; code <= last; ++code) names.insert(name(static_cast<FailureCode>(code)));
  EXPECT_EQ(names.size(), static_cast<std::size_t>(last + 1));
  EXPECT_FALSE(names.contains("unknown"));
}

}  // namespace
