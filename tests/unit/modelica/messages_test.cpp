// Messages as users see them, and texts that are no models.
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include <saltus/modelica.hpp>

namespace saltus {
namespace {

std::string said_about(const std::string& text) {
  return to_text(read_modelica(text, "m.mo").diagnostics);
}

TEST(ModelicaMessages, ShowTheLineAndThePlace) {
  EXPECT_EQ(said_about("model M\n  Real x(start = 1);\nequation\n\tder(x) = -2 * xx;\nend M;\n"),
            "m.mo:4:16: error: 'xx' is not declared: did you mean 'x'?\n"
            "  der(x) = -2 * xx;\n"
            "                ^~\n");
}

TEST(ModelicaMessages, PointBehindWhatIsNotEnded) {
  EXPECT_EQ(said_about("model M\n  Real x\nequation\n  x = 1;\nend M;\n"),
            "m.mo:2:9: error: expected ';' after this declaration\n"
            "  Real x\n"
            "        ^\n");
}

TEST(ModelicaMessages, CountCharactersNotBytes) {
  EXPECT_EQ(said_about("model M\n  Real 'äöü' = y;\nequation\nend M;\n"),
            "m.mo:2:16: error: 'y' is not declared\n"
            "  Real 'äöü' = y;\n"
            "               ^\n");
}

TEST(ModelicaMessages, OfALongLineShowAPart) {
  const std::string text =
      "model M Real x = 1" + std::string(300, ' ') + "+ y" + std::string(300, ' ') + "; end M;";
  const ReadModel read = read_modelica(text, "m.mo");
  ASSERT_EQ(read.diagnostics.size(), 1U);
  EXPECT_LE(read.diagnostics[0].source_line.size(), 130U);
  EXPECT_EQ(read.diagnostics[0].source_line[read.diagnostics[0].caret], 'y');
}

TEST(ModelicaMessages, AreNoMoreThanAskedFor) {
  std::string text = "model M\nequation\n";
  for (int i = 0; i < 100; ++i) text += "  x" + std::to_string(i) + " = 1;\n";
  text += "end M;\n";
  EXPECT_EQ(read_modelica(text, "m.mo", {.max_errors = 7}).diagnostics.size(), 7U);
}

TEST(ModelicaLimits, DeepNestingIsRefused) {
  for (const auto& [open, close] : {std::pair("(", ")"), std::pair("{", "}"), std::pair("-(", ")"),
                                    std::pair("sin(", ")"), std::pair("[", "]")}) {
    std::string deep, shut;
    for (int i = 0; i < 100000; ++i) {
      deep += open;
      shut += close;
    }
    const ReadModel read =
        read_modelica("model M Real x = " + deep + "1" + shut + "; end M;", "m.mo");
    ASSERT_FALSE(read.ok());
    EXPECT_EQ(read.diagnostics[0].message,
              "this is nested deeper than 200 levels: introduce variables for parts of it");
  }
}

TEST(ModelicaLimits, LongSumsAreNotDeep) {
  std::string text = "model M Real x(start = 1, fixed = true); equation der(x) = x";
  for (int i = 0; i < 50000; ++i) text += i % 500 == 0 ? "\n + x" : " + x";
  EXPECT_TRUE(read_modelica(text + "; end M;", "m.mo").ok());
}

TEST(ModelicaLimits, LongChainsOfParametersAreNotDeep) {
  std::string text = "model M\n parameter Real p0 = 1;\n";
  for (int i = 1; i < 20000; ++i)
    text += " parameter Real p" + std::to_string(i) + " = p" + std::to_string(i - 1) + " + 1;\n";
  const ReadModel read = read_modelica(text + " Real x = p19999;\nequation\nend M;", "m.mo");
  ASSERT_TRUE(read.ok()) << to_text(read.diagnostics);
  EXPECT_EQ(read.parameters.back().value, 20000.0);
}

TEST(ModelicaLimits, NulBytesLongLinesAndHugeTextsAreRefused) {
  using namespace std::string_literals;
  EXPECT_EQ(said_about("model M\n Real x\0 = 1;\nend M;"s),
            "m.mo:2:8: error: there is a NUL byte here: this is not text, or it was damaged\n"
            "  Real x  = 1;\n"
            "        ^\n");
  const ReadModel line = read_modelica(std::string(100'000'000 / 50, 'x'), "m.mo");
  ASSERT_EQ(line.diagnostics.size(), 1U);
  EXPECT_EQ(line.diagnostics[0].message,
            "line 1 has 2000000 bytes: no line of a model is longer than 1048576");
  const ReadModel huge = read_modelica(std::string(70'000'000, '\n'), "m.mo");
  EXPECT_EQ(to_text(huge.diagnostics),
            "m.mo: error: the text has 70000000 bytes, more than the 67108864 that can be read\n");
}

TEST(ModelicaLimits, ALineOf100MegabytesIsRefusedAtOnce) {
  const auto begin = std::chrono::steady_clock::now();
  const ReadModel read = read_modelica(std::string(100'000'000, 'x'), "m.mo");
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  EXPECT_EQ(to_text(read.diagnostics),
            "m.mo: error: the text has 100000000 bytes, more than the 67108864 that can be read\n");
  EXPECT_LT(took.count(), 1.0);  // nothing of it is looked at
}

TEST(ModelicaLimits, HugeNumbersAreRefused) {
  EXPECT_EQ(said_about("model M\n Real x = 1" + std::string(500, '0') + ";\nend M;").substr(0, 74),
            "m.mo:2:11: error: this number has 501 digits: no number is longer than 400");
}

/// Short texts that ask for much: what is refused names its limit, and soon.
void expect_limit(const std::string& text, const std::string& limit) {
  const auto begin = std::chrono::steady_clock::now();
  const ReadModel read = read_modelica(text, "m.mo");
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  ASSERT_FALSE(read.ok()) << text;
  EXPECT_NE(to_text(read.diagnostics).find(limit), std::string::npos) << text << "\n"
                                                                      << to_text(read.diagnostics);
  EXPECT_LT(took.count(), 60.0) << text;  // minutes would be none; sanitizers are slow
}

TEST(ModelicaLimits, ShortTextsThatBecomeTooLongAreRefused) {
  const std::string kept = "1000000 variables and equations", written = "more than 20000000";
  expect_limit("model M Real x[1000000000]; equation end M;", kept);
  expect_limit("model M Real x[100000, 100000, 100000, 100000]; equation end M;", kept);
  expect_limit("model M Real a[600000]; Real b[600000]; equation end M;", kept);
  expect_limit("model M Real x; equation for i in 1:2000000000 loop x = i; end for; end M;",
               written);
  expect_limit(
      "model M Real x; equation for i in 1:100000, j in 1:100000 loop x = i; end for; end M;",
      written);
  expect_limit("model M parameter Real p = sum(zeros(100000, 100000)); Real x = p; end M;",
               written);
  expect_limit(
      "model M parameter Real p = sum(i for i in 1:100000, j in 1:100000); Real x = p; end M;",
      written);
}

TEST(ModelicaLimits, LoopsThatDoNotEndAreRefused) {
  ReadOptions options;
  options.max_elements = 10000;  // the limit follows from this one; so it is met soon
  const auto said = [&](const std::string& text) {
    return to_text(read_modelica(text, "m.mo", options).diagnostics);
  };
  EXPECT_NE(said("model M function f input Real x; output Real y; algorithm y := x; "
                 "while true loop y := y + 1; end while; end f; Real x = f(1); end M;")
                .find("more than 200000 elements and statements"),
            std::string::npos);
  // Strings that double.
  std::string doubling = "model M parameter String s0 = \"a\";\n";
  for (int i = 1; i < 60; ++i) {
    const std::string before = "s" + std::to_string(i - 1);
    doubling += "parameter String s" + std::to_string(i) + " = " + before + " + " + before + ";\n";
  }
  EXPECT_NE(said(doubling + "Real x(start = 0, fixed = true); equation der(x) = 1; "
                            "assert(x < 2, s59); end M;")
                .find("more than 200000 elements and statements"),
            std::string::npos);
}

std::vector<std::string> whole_corpus() {
  std::vector<std::string> texts;
  for (const auto& entry : std::filesystem::directory_iterator(SALTUS_MODELICA_CORPUS)) {
    std::ifstream in(entry.path());
    texts.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  }
  std::sort(texts.begin(), texts.end());
  return texts;
}

// Whatever is cut off or garbled: an answer, never an exception or a crash.
TEST(ModelicaLimits, TornTextsGetAnAnswer) {
  std::mt19937 random(20261116);
  for (const std::string& text : whole_corpus()) {
    for (int k = 0; k < 30; ++k) {
      std::string torn = text;
      const std::size_t at = random() % torn.size();
      switch (random() % 4) {
        case 0:
          torn.resize(at);
          break;
        case 1:
          torn.erase(at, 1 + random() % 8);
          break;
        case 2:
          torn[at] = static_cast<char>(random() % 256);
          break;
        default:
          torn.insert(at, text.substr(random() % text.size(), 1 + random() % 20));
      }
      const ReadModel read = read_modelica(torn, "m.mo");
      EXPECT_TRUE(read.ok() || !read.diagnostics.empty()) << torn;
    }
  }
}

}  // namespace
}  // namespace saltus
