// Item 1: characteristic values of known models.
#include <cmath>
#include <cstdio>
#include <random>

#include <saltus/lower.hpp>

#include "index/index.hpp"
#include "problems/known_values.hpp"
#include "support/measure.hpp"

namespace saltus::bench {

namespace {

using namespace problems;

struct Analysed {
  std::shared_ptr<const System> system;
  std::unique_ptr<Workspace> workspace;
  Result<IndexAnalysis> found;
};

Analysed analysis_of(const std::function<void(Model&)>& write, double t) {
  Model m("m");
  write(m);
  auto system = *compile_model(m.build())->system({});
  auto workspace = system->workspace();
  auto found = analyze_index(*system, *workspace, t, system->start_values());
  return {std::move(system), std::move(workspace), std::move(found)};
}

template <class Values>
std::string values_or_why_not(const Result<Values>& found) {
  return found ? to_text(*found) : found.failure().message;
}

template <class Values>
bool print_and_compare(const std::string& name, const Values& expected,
                       const Result<Values>& found) {
  const bool right = found && *found == expected;
  std::printf("   %-36s expected %-19s found %s%s\n", name.c_str(), to_text(expected).c_str(),
              values_or_why_not(found).c_str(), right ? "" : "   WRONG");
  return right;
}

int count_mismatches() {
  int n = 0;
  for (const KnownValues& model : models_of_known_values()) {
    const Analysed a = analysis_of(model.write, model.t);
    const auto values = a.found ? Result<CharacteristicValues>(a.found->values) : a.found.failure();
    n += !print_and_compare(model.name, model.expected, values);
    if (!model.second_order) continue;
    const auto second = a.found ? analyze_second_order(*a.system, *a.workspace, model.t, *a.found)
                                : Result<SecondOrderValues>(a.found.failure());
    n += !print_and_compare("  as of second order", *model.second_order, second);
  }
  return n;
}

struct Tiny {
  int right = 0, wrong = 0, refused = 0;
};

/// Example 3.2 with random coefficients of 1e-16, two decades up and down.
Tiny coefficients_of_machine_precision() {
  constexpr int n_cases = 200;
  std::mt19937_64 random(32);
  std::uniform_real_distribution decades(-2.0, 2.0), sign(-1.0, 1.0);
  Tiny tally;
  for (int k = 0; k < n_cases; ++k) {
    std::array<double, 4> e;
    for (double& v : e) v = std::copysign(1e-16 * std::pow(10.0, decades(random)), sign(random));
    const auto found = analysis_of([&](Model& m) { write_example_3_2(m, e); }, 0.3).found;
    const CharacteristicValues truth{0, 2, 0, 0, 0};
    ++(!found ? tally.refused : found->values == truth ? tally.right : tally.wrong);
  }
  std::printf("   example 3.2, %d times:               %d right, %d wrong, %d refused\n", n_cases,
              tally.right, tally.wrong, tally.refused);
  return tally;
}

}  // namespace

bool show_characteristic_values(int number) {
  Item item(number);
  item.at_most("known models with other values than theirs", count_mismatches(), 0);
  const Tiny tiny = coefficients_of_machine_precision();
  item.at_most("coefficients of machine precision: wrong", tiny.wrong, 0);
  item.note("refused " + std::to_string(tiny.refused));
  return item.print();
}

}  // namespace saltus::bench
