// The equations of the mechanisms are those their certified values belong to.
#include <gtest/gtest.h>

#include "accuracy/reference_files.hpp"
#include "problems/mechanisms.hpp"

namespace saltus::problems {
namespace {

/// The quoted number that follows a key; NaN if there is none.
double number_of(const std::string& text, const std::string& key) {
  const std::size_t at = text.find("\"" + key + "\"");
  if (at == std::string::npos) return std::numeric_limits<double>::quiet_NaN();
  const std::size_t quote = text.find('"', text.find(':', at));
  return std::strtod(text.c_str() + quote + 1, nullptr);
}

TEST(Mechanisms, HeadersHoldTheNumbersOfTheFiles) {
  for (const Mechanism& mechanism : mechanisms()) {
    const std::string text = test::reference_text(mechanism.file);
    const auto states = test::arrays_of_numbers(text, "final_state");
    ASSERT_EQ(states.size(), 1u) << mechanism.file;
    ASSERT_LE(states[0].size(), mechanism.reference.size());
    for (std::size_t i = 0; i < mechanism.reference.size(); ++i) {
      const auto& [name, value] = mechanism.reference[i];
      const double in_file = i < states[0].size() ? states[0][i] : number_of(text, name);
      EXPECT_EQ(value, in_file) << mechanism.name << ' ' << name;
    }
  }
}

TEST(Mechanisms, ALastBitOfANumberIsNoticed) {
  const Mechanism mechanism = andrews_squeezer();
  const auto states = test::arrays_of_numbers(test::reference_text(mechanism.file), "final_state");
  ASSERT_EQ(states.size(), 1u);
  EXPECT_NE(std::nextafter(mechanism.reference[3].value, 1.0), states[0][3]);
}

double reference_value(const Mechanism& mechanism, const std::string& name) {
  for (const auto& [known, value] : mechanism.reference) {
    if (known == name) return value;
  }
  return std::numeric_limits<double>::quiet_NaN();
}

// Andrews' mechanism is the one whose accelerations are certified too: every equation, and every output
// that must vanish, vanishes at its end to rounding of its largest term.
std::vector<double> andrews_residuals(const Mechanism& mechanism) {
  Model model(mechanism.name);
  mechanism.write(model);
  const auto system = *compile_model(model.build())->system({});
  const auto workspace = system->workspace();
  std::vector<double> x, xdot;
  for (std::uint32_t i = 0; i < system->size(); ++i) {
    std::string name = system->unknown_name(i);
    const bool is_speed = name.starts_with("der(");
    if (is_speed) name = name.substr(4, name.size() - 5);
    x.push_back(reference_value(mechanism, is_speed ? "v_" + name : name));
    xdot.push_back(system->carries_derivative()[i]
                       ? reference_value(mechanism, (is_speed ? "w_" : "v_") + name)
                       : 0.0);
  }
  std::vector<double> f(system->n_equations());
  EXPECT_TRUE(static_cast<bool>(workspace->residual(mechanism.t_end, x, xdot, f)));
  return f;
}

TEST(Mechanisms, AndrewsReferenceSatisfiesItsEquations) {
  // The largest terms: moments of 566749 * 5e-6 N m in the motions, 0.07 m in the loops.
  const double eps = std::numeric_limits<double>::epsilon();
  Mechanism mechanism = andrews_squeezer();
  for (const double f : andrews_residuals(mechanism)) EXPECT_LE(std::abs(f), 64 * eps);
  mechanism.reference[23].value *= 1 + 1e-12;  // twin: lambda3
  double worst = 0.0;
  for (const double f : andrews_residuals(mechanism)) worst = std::max(worst, std::abs(f));
  EXPECT_GT(worst, 64 * eps);
}

/// Accelerations of 1e6 pass through zero, where their tolerance is below their rounding: no step is short enough for that.
TEST(Mechanisms, AndrewsRunsAtTolerancesOfRounding) {
  const Mechanism mechanism = andrews_squeezer();
  for (const EngineKind engine : {EngineKind::radau, EngineKind::ida}) {
    Model m("Andrews");
    mechanism.write(m);
    RunOptions options{.t_end = mechanism.t_end, .rtol = 1e-10, .atol = 1e-10};
    options.engine = engine;
    const Solution s = simulate(m, options);
    ASSERT_TRUE(s.ok()) << name(engine) << s.report.message;
    // Angles, within a hundred tolerances.
    for (std::size_t i = 0; i < 7; ++i) {
      const auto& [name_of, value] = mechanism.reference[i];
      EXPECT_NEAR(s.final(name_of), value, 1e-8 * (1 + std::abs(value))) << name(engine);
    }
  }
}

}  // namespace
}  // namespace saltus::problems
