// Pages; what a browser makes of them is looked at in tests/results.
#include <sstream>

#include <gtest/gtest.h>

#include <saltus/io.hpp>
#include "results/models.hpp"

namespace saltus {
namespace {

TEST(HtmlReport, IsOnePageThatNeedsNothingElse) {
  const std::string page = report_html(result_of(test::belt_run()));
  EXPECT_EQ(page.find("<!DOCTYPE html>"), 0U);
  EXPECT_NE(page.find("default-src 'none'"), std::string::npos);
  EXPECT_NE(page.find("Permission is hereby granted, free of charge"), std::string::npos);  // uPlot
  for (const char* what : {" src=", "@import", "fetch(", "XMLHttpRequest"})
    EXPECT_EQ(page.find(what), std::string::npos) << what;
}

TEST(HtmlReport, TextsOfAModelCannotEndAScript) {
  ResultFile result;
  result.model = "</script><script>alert(1)</script>";
  result.report_json = "{\"message\": \"</script>\"}";
  const std::string page = report_html(result);
  EXPECT_EQ(page.find("alert(1)</script>"), std::string::npos);
  EXPECT_NE(page.find("\\u003c/script>\\u003cscript>alert(1)"), std::string::npos);
  EXPECT_NE(page.find("{\"message\": \"\\u003c/script>\"}"), std::string::npos);
}

TEST(HtmlReport, ColumnsThatDoNotFitAreLeftOutAndThePageSaysSo) {
  const ResultFile result = result_of(test::rope_run());
  const std::size_t one = 8 * result.table.times.size();
  const std::string all = report_html(result), two = report_html(result, {.most_bytes = 2 * one});
  EXPECT_EQ(all.find("are not in this page"), std::string::npos);
  EXPECT_NE(two.find("1 variables are not in this page"), std::string::npos);
  EXPECT_NE(all.find("id=\"column-2\""), std::string::npos);
  EXPECT_EQ(two.find("id=\"column-2\""), std::string::npos);
}

TEST(HtmlReport, AFailedStreamIsReported) {
  std::ostringstream out;
  EXPECT_TRUE(write_report({}, out));
  out.setstate(std::ios::badbit);
  EXPECT_FALSE(write_report({}, out));
  EXPECT_THROW(save_report({}, "/no/such/folder/a.html"), FileError);
}

}  // namespace
}  // namespace saltus
