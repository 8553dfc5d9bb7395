// Item 4: random contact problems, every solution held against the laws.
#include <cstdlib>

#include "contact/contact.hpp"
#include "problems/random_contacts_study.hpp"
#include "support/measure.hpp"

namespace saltus::bench {

bool show_random_contacts(int number) {
  const char* const given = std::getenv("SALTUS_CONTACT_PROBLEMS");
  const std::uint64_t n_problems = given != nullptr ? std::strtoull(given, nullptr, 10) : 10000;
  constexpr std::uint64_t seed = 20261116;
  Item item(number);
  const problems::ContactStudy study = problems::study_random_contacts(seed, n_problems);
  const auto text = [](std::uint64_t n) { return std::to_string(n); };
  std::printf("%.6000s", study.complaints_of_wrong.c_str());
  if (std::getenv("SALTUS_CONTACT_REFUSALS") != nullptr)
    std::printf("%s", study.complaints_of_refused.c_str());
  for (const auto& [reason, count] : study.reasons) {
    std::printf("   refused %llu times: %.160s\n", static_cast<unsigned long long>(count),
                reason.c_str());
  }
  for (const auto& [family, count] : study.families) {
    std::printf("   %s: %llu, refused %llu\n", family.c_str(),
                static_cast<unsigned long long>(count),
                static_cast<unsigned long long>(study.refused_of_family.at(family)));
  }
  std::printf(
      "   of %llu with restitution that are solved all at once %llu are refused unless a law is "
      "chosen\n",
      static_cast<unsigned long long>(study.n_asked),
      static_cast<unsigned long long>(study.n_ambiguous));
  item.holds(text(study.n_right) + " of " + text(study.total()) + " solved, " +
                 text(study.n_proven) + " of them with a proof that the motion is unique, " +
                 text(study.n_redundant) + " with redundant contacts, " + text(study.n_jammed) +
                 " after impulses without a collision, " + text(study.n_wrong) +
                 " wrong (seeds from " + text(seed) + ")",
             study.n_wrong == 0 && study.n_right > 0);
  item.at_most("largest violation of a law", study.worst, 1e-10);
  item.at_most("refused",
               100.0 * static_cast<double>(study.n_refused) /
                   static_cast<double>(std::max<std::uint64_t>(study.total(), 1)),
               3.0, "%");
  item.leaves_out(
      "the law of impact by default, which refuses most simultaneous impacts with restitution");
  return item.print();
}

}  // namespace saltus::bench
