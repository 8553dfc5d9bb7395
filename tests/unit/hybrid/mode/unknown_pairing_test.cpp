// Unknowns that are integrated, and those that were written: they belong together by name.
#include "hybrid/mode/unknown_pairing.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>

namespace saltus::detail {
namespace {

using Pairs = std::vector<double>;

/// Nothing but names, and a variable z = 10 x + t that may have no value.
class NamedSystem final : public System, private VariableMap {
 public:
  NamedSystem(std::vector<std::string> unknowns, std::vector<std::string> variables = {})
      : unknowns_(std::move(unknowns)), carries_(unknowns_.size(), 1) {
    for (std::string& name : variables) variables_.push_back({std::move(name), "", ""});
  }
  std::uint32_t size() const override { return static_cast<std::uint32_t>(unknowns_.size()); }
  const CscPattern& pattern() const override { return pattern_; }
  std::span<const std::uint8_t> carries_derivative() const override { return carries_; }
  std::string unknown_name(std::uint32_t i) const override { return unknowns_[i]; }
  std::string equation_name(std::uint32_t) const override { return ""; }
  double nominal(std::uint32_t) const override { return 1.0; }
  StartValues start_values() const override {
    return {Pairs(size(), 9.0), Pairs(size(), 9.0), std::vector<std::uint8_t>(size(), 9)};
  }
  const VariableMap& variable_map() const override { return *this; }
  std::unique_ptr<Workspace> workspace() const override { return std::make_unique<Nothing>(); }

  bool has_values = true;

 private:
  struct Nothing final : Workspace {
    Evaluation residual(double, std::span<const double>, std::span<const double>,
                        std::span<double>) override {
      return Evaluation::failed(0);
    }
    Evaluation jacobian(double, std::span<const double>, std::span<const double>, std::span<double>,
                        std::span<double>) override {
      return Evaluation::failed(0);
    }
  };
  std::span<const VariableInfo> variables() const override { return variables_; }
  bool present(std::uint32_t) const override { return true; }
  std::optional<std::uint32_t> unknown(std::uint32_t) const override { return std::nullopt; }
  Evaluation values(Workspace&, double t, std::span<const double> x, std::span<const double>,
                    std::span<double> out) const override {
    for (std::size_t v = 0; v < out.size(); ++v) out[v] = 10.0 * x[2] + t + 100.0 * double(v);
    return has_values ? Evaluation::ok() : Evaluation::out_of_domain(0);
  }

  std::vector<std::string> unknowns_;
  std::vector<VariableInfo> variables_;
  std::vector<std::uint8_t> carries_;
  CscPattern pattern_;
};

/// x and y in another order, z as a variable, and derivatives that the original does not have.
struct PairedByName {
  NamedSystem original{{"x", "y", "z", "gone"}};
  NamedSystem integrated{{"y", "der(x)", "x", "der(der(y))", "multiplier"}, {"x", "z", "y"}};
  UnknownPairing pairing{original, integrated};
};

TEST(UnknownPairing, UnknownsOfTheSameNameBelongTogether) {
  const PairedByName p;
  EXPECT_EQ(p.pairing.integrated_as(0), 2U);
  EXPECT_EQ(p.pairing.integrated_as(1), 0U);
  EXPECT_EQ(p.pairing.integrated_as(2), UnknownPairing::none);
  EXPECT_EQ(p.pairing.integrated_as(3), UnknownPairing::none);
}

TEST(UnknownPairing, WhatIsNotIntegratedIsAVariableOrZero) {
  PairedByName p;
  const auto workspace = p.integrated.workspace();
  const Pairs x{1, 2, 3, 4, 5}, xdot{10, 20, 30, 40, 50};
  const auto at = p.pairing.original(p.integrated, *workspace, 0.5, x, xdot);
  // z is variable 1: 10 * 3 + 0.5 + 100.
  EXPECT_EQ(at.x, (Pairs{3, 1, 130.5, 0}));
  EXPECT_EQ(at.xdot, (Pairs{30, 10, 0, 0}));
  p.integrated.has_values = false;
  EXPECT_EQ(p.pairing.original(p.integrated, *workspace, 0.5, x, xdot).x, (Pairs{3, 1, 0, 0}));
}

/// Coefficient k of unknown i of four is 1 + i + 10 k; derivative k is k! times that.
TEST(UnknownPairing, FurtherDerivativesComeFromTheSeries) {
  const PairedByName p;
  Restart at;
  at.x = {-1, -1, -1, -1};
  at.xdot = at.x;
  IndexAnalysis& analysis = at.analysis.emplace();
  for (const int k : {0, 1, 2, 3})
    for (const int i : {0, 1, 2, 3}) analysis.path.push_back(1 + i + 10 * k);
  const StartValues start = p.pairing.integrated(p.integrated, at);
  // y, der(x), x, der(der(y)), multiplier.
  EXPECT_EQ(start.x, (Pairs{2, 11, 1, 2 * 22, 0}));
  EXPECT_EQ(start.xdot, (Pairs{12, 2 * 21, 11, 6 * 32, 0}));
  // What is a derivative, or has no counterpart, was stated by nobody.
  EXPECT_EQ(start.x_given, (std::vector<std::uint8_t>{1, 0, 1, 0, 0}));
}

TEST(UnknownPairing, WithoutASeriesThereAreTwoCoefficients) {
  const PairedByName p;
  for (const bool has_empty_series : {false, true}) {
    Restart at;
    at.x = {1, 2, 3, 4};
    at.xdot = {5, 6, 7, 8};
    if (has_empty_series) at.analysis.emplace();
    const StartValues start = p.pairing.integrated(p.integrated, at);
    EXPECT_EQ(start.x, (Pairs{2, 5, 1, 0, 0}));
    EXPECT_EQ(start.xdot, (Pairs{6, 0, 5, 0, 0}));
  }
}

/// The original has der(x) itself: its third derivative is a second one of that unknown, not a third one of x.
TEST(UnknownPairing, TheHighestDerivativeThatWasWrittenIsDifferentiated) {
  const NamedSystem original{{"x", "der(x)"}}, integrated{{"der(x)", "der(der(der(x)))"}};
  const UnknownPairing pairing(original, integrated);
  Restart at;
  at.x = {0, 0};
  at.analysis.emplace().path = {1, 2, 3, 4, 5, 6, 7, 8};
  const StartValues start = pairing.integrated(integrated, at);
  EXPECT_EQ(start.x, (Pairs{2, 2 * 6}));
  EXPECT_EQ(start.xdot, (Pairs{4, 6 * 8}));
  EXPECT_EQ(start.x_given, (std::vector<std::uint8_t>{1, 0}));
}

}  // namespace
}  // namespace saltus::detail
