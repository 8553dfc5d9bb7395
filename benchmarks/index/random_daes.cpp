// Item 2: random models of known characteristic values.
//
// SALTUS_RANDOM_DAES: how many of the judged set (10,000); the other sets have a tenth of it.
#include <cstdio>
#include <cstdlib>

#include "index/index.hpp"
#include "problems/random_dae_study.hpp"
#include "support/measure.hpp"

namespace saltus::bench {

namespace {

using namespace problems;

struct RandomSet {
  const char* name;
  std::uint64_t first_seed;
  RandomDaeOptions options;
};

constexpr RandomSet judged_set = {"units and time constants 10^+-3", 10'000'000, {}};
constexpr RandomSet other_sets[] = {
    {"units and time constants 10^+-4", 20'000'000, {.unit_decades = 4.0, .block_decades = 4.0}},
    {"nonlinear, time constants 10^+-1", 30'000'000, {.block_decades = 1.0, .nonlinear = true}},
    {"data rounded to double", 40'000'000, {.rounded = true}}};

double process_seconds() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

RandomDaeStudy study_and_print(const RandomSet& set, std::uint64_t n_cases) {
  constexpr unsigned n_threads = 2;
  const double start = process_seconds();
  RandomDaeStudy study = study_random_daes(set.first_seed, n_cases, set.options, n_threads);
  const double seconds = process_seconds() - start;
  std::printf("   %-33s %-40s (%.2f %% refused; %.1f ms each)\n", set.name,
              study.analysis.text().c_str(), study.analysis.percent_refused(),
              1e3 * seconds / static_cast<double>(n_cases));
  for (std::size_t k = 0; k < control_tolerances.size(); ++k) {
    std::printf("     unscaled, double, from %-8.0e  %s\n", control_tolerances[k],
                study.control[k].text().c_str());
  }
  std::fflush(stdout);
  return study;
}

}  // namespace

bool show_random_daes(int number) {
  const char* text = std::getenv("SALTUS_RANDOM_DAES");
  const std::uint64_t n_cases = text != nullptr ? std::strtoull(text, nullptr, 10) : 10'000;
  Item item(number);
  const RandomDaeStudy judged = study_and_print(judged_set, n_cases);
  std::string complaints = judged.complaints;
  item.at_least("random DAEs", static_cast<double>(judged.analysis.total()),
                static_cast<double>(n_cases));
  item.at_most("wrong", static_cast<double>(judged.analysis.wrong), 0);
  item.at_most("refused", judged.analysis.percent_refused(), 3, " %");
  item.at_least("unscaled in double: wrong at least",
                static_cast<double>(judged.least_wrong_of_control()), 1);
  for (const RandomSet& set : other_sets) {
    const RandomDaeStudy study = study_and_print(set, n_cases / 10);
    item.at_most(std::string(set.name) + ": wrong", static_cast<double>(study.analysis.wrong), 0);
    char refused[32];
    std::snprintf(refused, sizeof refused, "refused %.2f %%", study.analysis.percent_refused());
    item.note(refused);
    complaints += study.complaints;
  }
  if (std::getenv("SALTUS_COMPLAINTS") != nullptr) std::fputs(complaints.c_str(), stdout);
  return item.print();
}

}  // namespace saltus::bench
