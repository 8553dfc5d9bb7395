// What the fuzzer kept: every text gets the same answer twice, soon.
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "fuzz/read_any.hpp"

namespace saltus::test {
namespace {

std::string answer_of(const ReadModel& read) {
  return read.ok() ? "a model, " + std::to_string(read.model->build()->equations().size()) +
                         " equations\n" + to_text(read.diagnostics)
                   : to_text(read.diagnostics);
}

TEST(FuzzedTexts, GetTheSameAnswerTwiceAndSoon) {
  std::size_t n = 0;
  for (const auto& entry : std::filesystem::directory_iterator(SALTUS_FUZZED_TEXTS)) {
    std::ifstream in(entry.path(), std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    const auto begin = std::chrono::steady_clock::now();
    const std::string first = answer_of(read_any(text));
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    EXPECT_LT(took.count(), 5.0) << entry.path();
    EXPECT_EQ(first, answer_of(read_any(text))) << entry.path();
    EXPECT_FALSE(first.empty()) << entry.path() << ": a refusal says why";
    ++n;
  }
  EXPECT_GT(n, 50U);
}

// The twin: an answer that is not the same is seen.
TEST(FuzzedTexts, DifferentTextsGetDifferentAnswers) {
  EXPECT_NE(answer_of(read_any("model M Real x; equation x = 1; end M;")),
            answer_of(read_any("model M Real x; equation x = 1; x = 2; end M;")));
  EXPECT_NE(answer_of(read_any("")), answer_of(read_any("model")));
}

}  // namespace
}  // namespace saltus::test
