// Random hybrid DAEs on several engines at two tolerances: they agree, or say what they could not tell.
#include <gtest/gtest.h>

#include "problems/random_hybrid_study.hpp"

namespace saltus {
namespace {

TEST(RandomHybrids, AgreeOnAllEnginesOrSayWhatIsNotCertain) {
  const problems::HybridStudy study = problems::study_hybrids(20261118, 20);
  for (const std::string& complaint : study.complaints) ADD_FAILURE() << complaint;
  EXPECT_GT(study.counts.at(problems::HybridVerdict::agrees), 5U);
}

}  // namespace
}  // namespace saltus
