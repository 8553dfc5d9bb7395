// The contract of engines: ours keep it, and each broken promise has its own sentence.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <saltus/integrate/contract.hpp>

namespace saltus::contract_test {
namespace {

EngineFactory factory(EngineKind kind) {
  return [kind](const System& system, Workspace& workspace, const EngineOptions& options) {
    return make_engine(kind, system, workspace, options);
  };
}

std::string joined(const std::vector<std::string>& findings) {
  std::string text;
  for (const std::string& finding : findings) text += finding + '\n';
  return text;
}

TEST(EngineContract, OurEnginesKeepIt) {
  EXPECT_EQ(joined(check_engine(factory(EngineKind::dopri5))), "");
  EXPECT_EQ(joined(check_engine(factory(EngineKind::dop853))), "");
  EXPECT_EQ(joined(check_engine(factory(EngineKind::ida))), "");
  EXPECT_EQ(joined(check_engine(factory(EngineKind::radau))), "");
}

/// Keeps every promise of dopri5.
class Wrapped : public Engine {
 public:
  explicit Wrapped(std::unique_ptr<Engine> inner) : inner_(std::move(inner)) {}

  EngineKind kind() const override { return inner_->kind(); }
  Result<void> start(const EnginePoint& point, double t_towards, const StartHint& hint) override {
    return inner_->start(point, t_towards, hint);
  }
  Result<void> step(double t_bound) override { return inner_->step(t_bound); }
  StepPolynomial last_step() override { return inner_->last_step(); }
  Result<void> shorten(double t) override { return inner_->shorten(t); }
  double t() const override { return inner_->t(); }
  std::span<const double> x() const override { return inner_->x(); }
  std::span<const double> xdot() const override { return inner_->xdot(); }
  const WorkCounts& work() const override { return inner_->work(); }
  void set_stage_check(StageCheck check) override { inner_->set_stage_check(std::move(check)); }

 protected:
  std::unique_ptr<Engine> inner_;
};

template <class Broken>
std::string findings_of() {
  return joined(check_engine([](const System& system, Workspace& workspace,
                                const EngineOptions& options) -> std::unique_ptr<Engine> {
    return std::make_unique<Broken>(make_engine(EngineKind::dopri5, system, workspace, options));
  }));
}

/// The sentence is there and, unless one promise follows from another, it is the only one.
void expect_only(const std::string& findings, const std::string& sentence) {
  EXPECT_NE(findings.find(sentence), std::string::npos) << findings;
  std::size_t begin = 0;
  while (begin < findings.size()) {
    const std::size_t end = findings.find('\n', begin);
    const std::string line = findings.substr(begin, end - begin);
    EXPECT_NE(line.find(sentence), std::string::npos) << line;
    begin = end + 1;
  }
}

TEST(EngineContract, AWrapperThatBreaksNothingKeepsIt) { EXPECT_EQ(findings_of<Wrapped>(), ""); }

struct PassesBounds : Wrapped {
  using Wrapped::Wrapped;
  Result<void> step(double t_bound) override {
    return inner_->step(t_bound + (t_bound > t() ? 1e-12 : -1e-12));
  }
};
TEST(EngineContract, AMissedBoundIsSeen) {
  const std::string findings = findings_of<PassesBounds>();
  EXPECT_NE(findings.find("bounds: a step from t = "), std::string::npos) << findings;
  EXPECT_NE(findings.find("towards the bound 0.1 ends at"), std::string::npos) << findings;
}

struct StopsShort : Wrapped {
  using Wrapped::Wrapped;
  Result<void> step(double t_bound) override {
    return t_bound == 1.0 ? inner_->step(0.9) : inner_->step(t_bound);
  }
  double t() const override { return inner_->t() == 0.9 ? 1.0 : inner_->t(); }
};
TEST(EngineContract, AnInaccurateEngineIsSeen) {
  EXPECT_NE(findings_of<StopsShort>().find("bounds: the error at t = 1 "), std::string::npos);
}

struct WrongSlope : Wrapped {
  using Wrapped::Wrapped;
  StepPolynomial last_step() override {
    StepPolynomial step = inner_->last_step();
    coefficients_.assign(step.coefficients.begin(), step.coefficients.end());
    // Both ends stay.
    coefficients_[step.n] += 0.1;
    coefficients_[2 * step.n] -= 0.1;
    step.coefficients = coefficients_;
    return step;
  }
  std::vector<double> coefficients_;
};
TEST(EngineContract, AWrongSlopeIsSeen) {
  expect_only(findings_of<WrongSlope>(), "polynomial: the slope at the left end does not match");
}

struct WrongEnd : Wrapped {
  using Wrapped::Wrapped;
  StepPolynomial last_step() override {
    StepPolynomial step = inner_->last_step();
    coefficients_.assign(step.coefficients.begin(), step.coefficients.end());
    coefficients_.back() += 1e-5;
    step.coefficients = coefficients_;
    return step;
  }
  std::vector<double> coefficients_;
};
TEST(EngineContract, AWrongEndOfThePolynomialIsSeen) {
  expect_only(findings_of<WrongEnd>(), "polynomial: the right end point is not met");
}

struct WrongInside : Wrapped {
  using Wrapped::Wrapped;
  StepPolynomial last_step() override {
    StepPolynomial step = inner_->last_step();
    const std::size_t n = step.n;
    coefficients_.assign(step.coefficients.begin(), step.coefficients.end());
    // 0.2 s² (1 - s)²: ends and slopes stay.
    coefficients_[2 * n] += 0.2;
    coefficients_[3 * n] -= 0.4;
    coefficients_[4 * n] += 0.2;
    step.coefficients = coefficients_;
    return step;
  }
  std::vector<double> coefficients_;
};
TEST(EngineContract, AWrongPolynomialInsideTheStepIsSeen) {
  expect_only(findings_of<WrongInside>(), "polynomial: inside the step at t = ");
}

struct ForgetsItsPoint : Wrapped {
  using Wrapped::Wrapped;
  Result<void> start(const EnginePoint& point, double t_towards, const StartHint& hint) override {
    failed_ = false;
    return inner_->start(point, t_towards, hint);
  }
  Result<void> step(double t_bound) override {
    failed_ = false;
    auto done = inner_->step(t_bound);
    failed_ = !done;
    return done;
  }
  std::span<const double> x() const override {
    other_.assign(inner_->x().begin(), inner_->x().end());
    if (failed_) other_[0] += 1e-12;
    return other_;
  }
  bool failed_ = false;
  mutable std::vector<double> other_;
};
TEST(EngineContract, APointChangedByAFailureIsSeen) {
  expect_only(findings_of<ForgetsItsPoint>(), "after a failure the last point is not kept");
}

struct NeverFails : Wrapped {
  using Wrapped::Wrapped;
  Result<void> step(double t_bound) override {
    if (pretended_ == 0.0 && inner_->step(t_bound)) return {};
    pretended_ = t_bound;
    return {};
  }
  double t() const override { return pretended_ == 0.0 ? inner_->t() : pretended_; }
  double pretended_ = 0.0;
};
TEST(EngineContract, AFailureThatIsHiddenIsSeen) {
  const std::string findings = findings_of<NeverFails>();
  EXPECT_NE(findings.find("end of the domain: does not fail where it must"), std::string::npos)
      << findings;
}

struct NotRepeatable : Wrapped {
  explicit NotRepeatable(std::unique_ptr<Engine> inner) : Wrapped(std::move(inner)) { ++made; }
  Result<void> start(const EnginePoint& point, double t_towards, const StartHint& hint) override {
    StartHint other = hint;
    if (other.step == 0.0) other.step = 1e-3 / made;
    return inner_->start(point, t_towards, other);
  }
  static inline int made = 0;
};
TEST(EngineContract, RunsThatDifferAreSeen) {
  expect_only(findings_of<NotRepeatable>(), "second run: differs from the first one");
}

struct ShortensToTheWrongTime : Wrapped {
  using Wrapped::Wrapped;
  Result<void> shorten(double t) override {
    return inner_->shorten(t + 1e-3 * (inner_->last_step().t_left - t));
  }
};
TEST(EngineContract, AStepShortenedToTheWrongTimeIsSeen) {
  const std::string findings = findings_of<ShortensToTheWrongTime>();
  EXPECT_NE(findings.find("shorten: t() is not the time asked for"), std::string::npos) << findings;
}

struct ShortensTheClockOnly : Wrapped {
  using Wrapped::Wrapped;
  Result<void> start(const EnginePoint& point, double t_towards, const StartHint& hint) override {
    shortened_ = false;
    return inner_->start(point, t_towards, hint);
  }
  Result<void> shorten(double t) override {
    if (!shortened_) kept_.assign(x().begin(), x().end());
    shortened_ = true;
    return inner_->shorten(t);
  }
  std::span<const double> x() const override {
    return shortened_ ? std::span<const double>(kept_) : inner_->x();
  }
  bool shortened_ = false;
  std::vector<double> kept_;
};
TEST(EngineContract, AStepThatIsShortenedInNameOnlyIsSeen) {
  expect_only(findings_of<ShortensTheClockOnly>(), "shorten: the error at t = ");
}

struct IgnoresStageChecks : Wrapped {
  using Wrapped::Wrapped;
  void set_stage_check(StageCheck) override {}
};
TEST(EngineContract, AnIgnoredStageCheckIsSeen) {
  const std::string findings = findings_of<IgnoresStageChecks>();
  EXPECT_NE(findings.find("stage check: is never asked"), std::string::npos) << findings;
}

struct LosesCounts : Wrapped {
  using Wrapped::Wrapped;
  const WorkCounts& work() const override {
    counts_ = inner_->work();
    if (counts_.n_steps > 5) counts_.n_evaluations = 0;
    return counts_;
  }
  mutable WorkCounts counts_;
};
TEST(EngineContract, CountsThatShrinkAreSeen) {
  expect_only(findings_of<LosesCounts>(), "a count of work() shrinks");
}

}  // namespace
}  // namespace saltus::contract_test
