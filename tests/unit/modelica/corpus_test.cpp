// Every text of tests/modelica and examples/modelica does what its first lines say.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "corpus.hpp"

namespace saltus::test {
namespace {

std::vector<std::string> texts_in(const std::string& folder) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".mo") files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  return files;
}

class Corpus : public testing::TestWithParam<std::string> {};

TEST_P(Corpus, DoesWhatItSays) {
  std::ifstream in(GetParam());
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  for (const std::string& complaint :
       complaints_about(text, std::filesystem::path(GetParam()).filename().string()))
    ADD_FAILURE() << complaint;
}

std::string stem(const testing::TestParamInfo<std::string>& info) {
  return std::filesystem::path(info.param).stem().string();
}
INSTANTIATE_TEST_SUITE_P(Small, Corpus, testing::ValuesIn(texts_in(SALTUS_MODELICA_CORPUS)), stem);
INSTANTIATE_TEST_SUITE_P(Example, Corpus, testing::ValuesIn(texts_in(SALTUS_MODELICA_EXAMPLES)),
                         stem);

// The twin: what is not so is seen.
TEST(CorpusCheck, SeesWrongExpectations) {
  const std::string model =
      "model M Real x(start = 1, fixed = true); equation der(x) = -x; end M;\n";
  EXPECT_TRUE(complaints_about("// value x(1) = 0.36787944 +- 1e-6\n" + model, "m").empty());
  EXPECT_FALSE(complaints_about("// value x(1) = 0.36788944 +- 1e-6\n" + model, "m").empty());
  EXPECT_FALSE(complaints_about("// outcome failed\n" + model, "m").empty());
  EXPECT_FALSE(complaints_about("// error 1:2 nothing\n" + model, "m").empty());
  EXPECT_FALSE(complaints_about("// events \"x > 0\" 1\n" + model, "m").empty());
  EXPECT_FALSE(complaints_about(model, "m").empty());
}

}  // namespace
}  // namespace saltus::test
