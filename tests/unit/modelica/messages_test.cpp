// Messages as users see them, and texts that are no models.
#include <gtest/gtest.h>

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
            "m.mo:2:8: error: there is a NUL byte here: this is no text, or it was damaged\n"
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

TEST(ModelicaLimits, LoopsThatDoNotEndAreRefused) {
  EXPECT_FALSE(read_modelica("model M function f input Real x; output Real y; algorithm y := x; "
                             "while true loop y := y + 1; end while; end f; Real x = f(1); end M;",
                             "m.mo")
                   .ok());
  EXPECT_FALSE(read_modelica("model M Real x[1000000000]; equation end M;", "m.mo").ok());
  EXPECT_FALSE(
      read_modelica("model M Real x; equation for i in 1:2000000000 loop x = i; end for; end M;",
                    "m.mo")
          .ok());
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
