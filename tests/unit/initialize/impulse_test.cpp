#include <cmath>
#include <random>

#include <eigen3/Eigen/Dense>
#include <gtest/gtest.h>

#include "unit/initialize/started_models.hpp"

namespace saltus {
namespace {

using namespace testing_support;

// Jumps are limits of steps that are exact to 1e-20 or so: what is left is the third power of h = 1e-7.
constexpr double exact = 1e-12;

// (I.3), (I.4): C1 v1 + C2 v2 is conserved, and the current carries the charge that has moved.
TEST(ImpulseMap, I3_I4_ParallelCapacitorsConserveTheirCharge) {
  Model m("capacitors");
  write_parallel_capacitors(m);
  Started s(m);
  const auto r = s.restart_by(RestartPolicy::impulse);
  ASSERT_TRUE(r.has_value()) << r.failure().message;
  EXPECT_NEAR(s.value(*r, "v1"), 4.0, 4 * exact);
  EXPECT_NEAR(s.value(*r, "v2"), 4.0, 4 * exact);
  EXPECT_NEAR(s.value(*r, "i"), 0.0, exact);
  ASSERT_EQ(r->impulses.size(), 1u);
  EXPECT_EQ(r->impulses[0].name, "i");
  EXPECT_EQ(r->impulses[0].order, 0);
  EXPECT_NEAR(r->impulses[0].strength, 1.0 * (4.0 - 10.0), 6 * exact);
  EXPECT_TRUE(r->warnings.empty());
  ASSERT_EQ(r->changes.size(), 2u);
  EXPECT_EQ(r->changes[0].name, "v1");
  EXPECT_EQ(r->changes[0].given, 10.0);
}

// The control: the nearest point conserves nothing.
TEST(ImpulseMap, LeastSquaresLosesCharge) {
  Model m("capacitors");
  write_parallel_capacitors(m);
  Started s(m);
  const auto r = s.restart_by(RestartPolicy::least_squares);
  ASSERT_TRUE(r.has_value()) << r.failure().message;
  EXPECT_NEAR(s.value(*r, "v1"), 6.0, 6 * exact);
  EXPECT_NEAR(s.value(*r, "v2"), 6.0, 6 * exact);
}

// v+ = v - M^-1 n (n v) / (n M^-1 n): the M-orthogonal projection.
TEST(ImpulseMap, APlasticImpactIsTheProjectionOfItsMassMatrix) {
  const double c = 1.0 / std::sqrt(2.0), nv = c * 1.5, nmn = 0.5 + 0.05;
  const double vx = 1.0 - c * nv / nmn, vy = 0.5 - 0.1 * c * nv / nmn;
  for (const bool on_position : {false, true}) {
    Model m("impact");
    write_plastic_impact(m, on_position);
    Started s(m);
    const auto r = s.restart_by(RestartPolicy::impulse);
    ASSERT_TRUE(r.has_value()) << r.failure().message;
    EXPECT_NEAR(s.value(*r, "vx"), vx, exact) << on_position;
    EXPECT_NEAR(s.value(*r, "vy"), vy, exact) << on_position;
    EXPECT_NEAR(s.value(*r, "x"), 0.0, exact);
    EXPECT_NEAR(strength_of(*r, "lambda"), nv / nmn, exact);
    const auto control = s.restart_by(RestartPolicy::least_squares);
    ASSERT_TRUE(control.has_value()) << control.failure().message;
    EXPECT_NEAR(s.value(*control, "vx"), 0.25, exact);
    // Plastic impacts lose energy; Euclidean ones lose more than they may.
    const auto energy = [&](const Restart& one) {
      const double a = s.value(one, "vx"), b = s.value(one, "vy");
      return 0.5 * a * a + 5.0 * b * b;
    };
    EXPECT_LT(energy(*r), 1.75);
    EXPECT_LT(energy(*control), 0.5 * energy(*r));
  }
}

// An event located a little too late: one step would leave 1e-10 / h in the velocity.
TEST(ImpulseMap, AnImpactThatWasLocatedTooLateIsTheSame) {
  Model m("impact");
  write_plastic_impact(m, true, 1e-10);
  Started s(m);
  const auto r = s.restart_by(RestartPolicy::impulse);
  ASSERT_TRUE(r.has_value()) << r.failure().message;
  EXPECT_NEAR(s.value(*r, "vx"), -4.0 / 11, 1e-10);
  EXPECT_NEAR(s.value(*r, "vy"), 4.0 / 11, 1e-10);
  EXPECT_NEAR(s.value(*r, "x") + s.value(*r, "y"), 0.0, exact);
  // An offset of rounding size is no impulse of the velocity.
  EXPECT_EQ(strength_of(*r, "vx"), 0.0);
}

// An offset that is no rounding: the position jumps, the velocity has an impulse, the force that of order 1.
TEST(ImpulseMap, I4_APositionThatJumpsGivesImpulsesOfHigherOrder) {
  Model m("impact");
  write_plastic_impact(m, true, 1e-2);
  Started s(m);
  const auto r = s.restart_by(RestartPolicy::impulse);
  ASSERT_TRUE(r.has_value()) << r.failure().message;
  const double c = 1.0 / std::sqrt(2.0);
  // dx = -M^-1 n g / (n M^-1 n); v = dx delta, and lambda = -M dv / n.
  EXPECT_NEAR(strength_of(*r, "vx", 0), -c * 1e-2 / 0.55, exact);
  EXPECT_NEAR(strength_of(*r, "vy", 0), -0.1 * c * 1e-2 / 0.55, exact);
  EXPECT_NEAR(strength_of(*r, "lambda", 1), 1e-2 / 0.55, exact);
  EXPECT_NEAR(s.value(*r, "vx"), -4.0 / 11, exact);
}

TEST(ImpulseMap, TheBoostConverterInterruptsAndShortCircuits) {
  const auto from_mode_1 = [](int mode) {
    Model m("boost");
    write_boost_converter(m, mode);
    Started s(m);
    s.set({{"v_c", 90.0},
           {"i_l", 30.0},
           {"v_d", 0.0},
           {"v_s", 90.0},
           {"i_r", 45.0},
           {"i_d", 30.0},
           {"i_s", 0.0}});
    return s;
  };
  {
    Started s = from_mode_1(2);  // both of index 1: nothing that has a derivative jumps
    const auto r = s.restart_by(RestartPolicy::impulse);
    ASSERT_TRUE(r.has_value()) << r.failure().message;
    EXPECT_NEAR(s.value(*r, "v_c"), 90.0, 90 * exact);
    EXPECT_NEAR(s.value(*r, "i_l"), 30.0, 30 * exact);
    EXPECT_TRUE(r->impulses.empty());
    const auto control = s.restart_by(RestartPolicy::least_squares);
    ASSERT_TRUE(control.has_value()) << control.failure().message;
    EXPECT_NEAR(s.value(*control, "v_c"), 50.0, 50 * exact);
    EXPECT_NEAR(s.value(*control, "i_l"), 15.0, 15 * exact);
  }
  {
    Started s = from_mode_1(3);
    const auto r = s.restart_by(RestartPolicy::impulse);
    ASSERT_TRUE(r.has_value()) << r.failure().message;
    EXPECT_NEAR(s.value(*r, "v_c"), 90.0, 90 * exact);
    EXPECT_NEAR(s.value(*r, "i_l"), 0.0, 30 * exact);
    EXPECT_NEAR(strength_of(*r, "v_s"), 30.0, 30 * exact);  // L times the current
    EXPECT_NEAR(strength_of(*r, "v_d"), 30.0, 30 * exact);
  }
  {
    Started s = from_mode_1(4);
    const auto r = s.restart_by(RestartPolicy::impulse);
    ASSERT_TRUE(r.has_value()) << r.failure().message;
    EXPECT_NEAR(s.value(*r, "v_c"), 0.0, 90 * exact);
    EXPECT_NEAR(s.value(*r, "i_l"), 30.0, 30 * exact);
    EXPECT_NEAR(strength_of(*r, "i_d"), -0.9, exact);  // C times the voltage
  }
}

/// E x' = A x + f(t) as P^-1 (blocks) Q^-1 with a finite part and nilpotent chains.
class CanonicalPencil {
 public:
  explicit CanonicalPencil(unsigned seed) : random_(seed) {
    n_finite_ = 1 + static_cast<Eigen::Index>(random_() % 3);
    const std::size_t n_chains = 1 + random_() % 2;
    for (std::size_t k = 0; k < n_chains; ++k) {
      chains_.push_back(1 + static_cast<Eigen::Index>(random_() % 3));
    }
    n_ = n_finite_;
    for (const auto c : chains_) n_ += c;
    Eigen::MatrixXd e = Eigen::MatrixXd::Zero(n_, n_), a = Eigen::MatrixXd::Identity(n_, n_);
    e.topLeftCorner(n_finite_, n_finite_).setIdentity();
    a.topLeftCorner(n_finite_, n_finite_) = matrix(n_finite_);
    Eigen::Index first = n_finite_;
    for (const auto c : chains_) {
      for (Eigen::Index k = 0; k + 1 < c; ++k) e(first + k, first + k + 1) = 1.0;
      first += c;
    }
    // Integers and eighths: products are exact, and the ranks of the model are those meant.
    const Eigen::MatrixXd q_inverse = unimodular(), q = q_inverse.inverse();
    const Eigen::MatrixXd p_inverse = unimodular();
    e_ = p_inverse * e * q_inverse;
    a_ = p_inverse * a * q_inverse;
    Eigen::MatrixXd keep = Eigen::MatrixXd::Zero(n_, n_);
    keep.topLeftCorner(n_finite_, n_finite_).setIdentity();
    projector = q * keep * q_inverse;
    nilpotent_ = Eigen::MatrixXd::Zero(n_, n_);
    nilpotent_.bottomRightCorner(n_ - n_finite_, n_ - n_finite_) =
        e.bottomRightCorner(n_ - n_finite_, n_ - n_finite_);
    nilpotent_ = q * nilpotent_ * q_inverse;
  }

  void write(Model& m) {
    std::vector<Expr> x;
    for (Eigen::Index i = 0; i < n_; ++i) {
      start.push_back(uniform());
      x.push_back(m.state("x" + std::to_string(i), start.back()));
    }
    for (Eigen::Index i = 0; i < n_; ++i) {
      Expr row(0.0);
      for (Eigen::Index j = 0; j < n_; ++j) {
        const auto k = static_cast<std::size_t>(j);
        if (e_(i, j) != 0.0) row = row + e_(i, j) * der(x[k]);
        if (a_(i, j) != 0.0) row = row - a_(i, j) * x[k];
      }
      m.equation("e" + std::to_string(i), row == 0.0);
    }
  }

  Eigen::VectorXd exact_jump() const {
    return projector * Eigen::Map<const Eigen::VectorXd>(start.data(), n_);
  }
  /// Of delta: -N x(0-) on the nilpotent part; of its derivative: -N^2 x(0-).
  Eigen::VectorXd exact_impulse(int order) const {
    Eigen::VectorXd z = -Eigen::Map<const Eigen::VectorXd>(start.data(), n_);
    for (int k = 0; k <= order; ++k) z = nilpotent_ * z;
    return z;
  }

  Eigen::MatrixXd projector;
  std::vector<double> start;

 private:
  double uniform() { return std::uniform_real_distribution(-1.0, 1.0)(random_); }
  Eigen::MatrixXd matrix(Eigen::Index n) {
    return Eigen::MatrixXd::NullaryExpr(n, n, [&] { return std::round(8 * uniform()) / 8; });
  }
  /// Products of elementary integer matrices: exact, as is the inverse.
  Eigen::MatrixXd unimodular() {
    Eigen::MatrixXd u = Eigen::MatrixXd::Identity(n_, n_);
    for (Eigen::Index k = 0; k < 2 * n_; ++k) {
      const auto i = static_cast<Eigen::Index>(random_() % static_cast<unsigned>(n_));
      const auto j = static_cast<Eigen::Index>(random_() % static_cast<unsigned>(n_));
      if (i != j) u.row(i) += (random_() % 2 ? 1.0 : -1.0) * u.row(j);
    }
    return u;
  }

  std::mt19937 random_;
  Eigen::Index n_ = 0, n_finite_ = 0;
  std::vector<Eigen::Index> chains_;
  Eigen::MatrixXd e_, a_, nilpotent_;
};

TEST(ImpulseMap, I3_RandomPencilsJumpByTheirConsistencyProjector) {
  int n_jumps = 0, n_differ = 0;
  for (unsigned seed = 1; seed <= 60; ++seed) {
    CanonicalPencil pencil(seed);
    Model m("pencil");
    pencil.write(m);
    Started s(m);
    const auto r = s.restart_by(RestartPolicy::impulse);
    ASSERT_TRUE(r.has_value()) << seed << ": " << r.failure().message;
    const Eigen::VectorXd jump = pencil.exact_jump(), first = pencil.exact_impulse(0),
                          second = pencil.exact_impulse(1);
    const double scale = 1.0 + jump.cwiseAbs().maxCoeff();
    double worst = 0.0, from_least_squares = 0.0;
    const auto control = s.restart_by(RestartPolicy::least_squares);
    ASSERT_TRUE(control.has_value()) << seed << ": " << control.failure().message;
    for (Eigen::Index i = 0; i < jump.size(); ++i) {
      const auto k = static_cast<std::size_t>(i);
      worst = std::max(worst, std::abs(r->x[k] - jump[i]));
      from_least_squares = std::max(from_least_squares, std::abs(control->x[k] - jump[i]));
      const std::string name = "x" + std::to_string(i);
      EXPECT_NEAR(strength_of(*r, name, 0), first[i], 1e-6 * (1 + std::abs(first[i]))) << seed;
      EXPECT_NEAR(strength_of(*r, name, 1), second[i], 1e-6 * (1 + std::abs(second[i]))) << seed;
    }
    EXPECT_LE(worst, 1e-6 * scale) << seed;
    n_jumps += !r->changes.empty();
    n_differ += from_least_squares > 1e-3;
  }
  // The twin: another policy lands elsewhere in most of them.
  EXPECT_GE(n_jumps, 50);
  EXPECT_GE(n_differ, 30);
}

}  // namespace
}  // namespace saltus
