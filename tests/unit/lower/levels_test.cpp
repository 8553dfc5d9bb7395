// Derivative arrays of compiled models.
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include <saltus/lower.hpp>
#include <saltus/model.hpp>
#include <saltus/system.hpp>

namespace saltus {
namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();

/// q'' + c q' + q^3 = u(t) + z, z = sin(q): three unknowns q, z, q'.
std::shared_ptr<const System> duffing() {
  static Model m("duffing");
  static bool written = false;
  if (!written) {
    Expr q = m.state("q", 1.0), z = m.algebraic("z");
    Expr u = m.input(
        "u",
        callback([](double t, int order) { return std::cos(t + order * std::acos(0.0)); }, 10));
    Expr c = m.parameter("c", 0.3);
    m.equation("motion", der(der(q)) + c * der(q) + q * q * q == u + z);
    m.equation("spring", z == sin(q));
    written = true;
  }
  return *compile_model(m.build())->system({});
}

template <class T>
struct Levels {
  explicit Levels(int its_level) : level(its_level), system(duffing()) {
    workspace = system->workspace();
    n = system->size();
    nnz = static_cast<std::size_t>(system->pattern().nnz());
    n_levels = static_cast<std::size_t>(level) + 1;
    for (std::size_t k = 0; k < (n_levels + 1) * n; ++k) {
      path.push_back(T(std::sin(1.3 * static_cast<double>(k) + 0.4)));
    }
  }
  std::vector<T> residuals(std::span<const T> along) {
    std::vector<T> f(n_levels * n);
    EXPECT_TRUE(static_cast<bool>(
        workspace->template ability<DerivativeLevels<T>>()->residuals(0.7, along, level, f)));
    return f;
  }

  int level;
  std::shared_ptr<const System> system;
  std::unique_ptr<Workspace> workspace;
  std::size_t n = 0, nnz = 0, n_levels = 0;
  std::vector<T> path;
};

TEST(DerivativeLevels, LevelZeroIsTheResidual) {
  Levels<double> l(0);
  std::vector<double> f(l.n);
  ASSERT_TRUE(static_cast<bool>(
      l.workspace->residual(0.7, std::span(l.path).first(l.n), std::span(l.path).last(l.n), f)));
  EXPECT_EQ(l.residuals(l.path), f);
}

// F along x(t + tau) at tau: the coefficients are those of its Taylor series.
TEST(DerivativeLevels, CoefficientsAreThoseOfTheResidualAlongThePath) {
  Levels<double> l(4);
  const std::vector<double> f = l.residuals(l.path);
  const auto along = [&](double tau) {
    std::vector<double> x(l.n, 0.0), xdot(l.n, 0.0), out(l.n);
    for (std::size_t i = 0; i < l.n; ++i) {
      for (std::size_t j = l.n_levels + 1; j-- > 0;) {
        if (j > 0) xdot[i] = xdot[i] * tau + static_cast<double>(j) * l.path[j * l.n + i];
        x[i] = x[i] * tau + l.path[j * l.n + i];
      }
    }
    EXPECT_TRUE(static_cast<bool>(l.workspace->residual(0.7 + tau, x, xdot, out)));
    return out;
  };
  const double tau = 1e-2;
  const std::vector<double> exact = along(tau);
  for (std::size_t i = 0; i < l.n; ++i) {
    double sum = 0.0;
    for (std::size_t k = l.n_levels; k-- > 0;) sum = sum * tau + f[k * l.n + i];
    // The series is cut after tau^4; its coefficients are of order one.
    EXPECT_NEAR(sum, exact[i], 100 * std::pow(tau, 5));
    // Twin: one coefficient changed is seen.
    EXPECT_GT(std::abs(sum + 1e-2 * std::pow(tau, 3) - exact[i]), 50 * std::pow(tau, 5));
  }
}

TEST(DerivativeLevels, JacobiansGiveEveryBlockOfTheArray) {
  Levels<double> l(3);
  std::vector<double> a(l.n_levels * l.nnz), b(l.n_levels * l.nnz);
  ASSERT_TRUE(static_cast<bool>(
      l.workspace->ability<DerivativeLevels<double>>()->jacobians(0.7, l.path, l.level, a, b)));
  const CscPattern& p = l.system->pattern();
  const double h = 1e-6;
  for (std::size_t j = 0; j <= l.n_levels; ++j) {
    for (std::size_t column = 0; column < l.n; ++column) {
      std::vector<double> up = l.path, down = l.path;
      up[j * l.n + column] += h;
      down[j * l.n + column] -= h;
      const std::vector<double> f_up = l.residuals(up), f_down = l.residuals(down);
      std::vector<double> block(l.n_levels * l.n, 0.0);
      for (auto s = static_cast<std::size_t>(p.column_start[column]);
           s < static_cast<std::size_t>(p.column_start[column + 1]); ++s) {
        const auto row = static_cast<std::size_t>(p.row[s]);
        for (std::size_t k = 0; k < l.n_levels; ++k) {
          if (k >= j) block[k * l.n + row] += a[(k - j) * l.nnz + s];
          if (k + 1 >= j && j > 0) {
            block[k * l.n + row] += static_cast<double>(j) * b[(k + 1 - j) * l.nnz + s];
          }
        }
      }
      for (std::size_t i = 0; i < block.size(); ++i) {
        EXPECT_NEAR(block[i], (f_up[i] - f_down[i]) / (2 * h), 1e-7) << i << " by " << j;
      }
    }
  }
}

TEST(DerivativeLevels, QuadAgreesWithDouble) {
  Levels<double> l(3);
  Levels<Quad> q(3);
  const std::vector<double> f = l.residuals(l.path);
  const std::vector<Quad> g = q.residuals(q.path);
  for (std::size_t i = 0; i < f.size(); ++i) {
    EXPECT_NEAR(f[i], static_cast<double>(g[i]), 64 * eps * 10);
  }
}

TEST(DerivativeLevels, AnInputThatIsNotSmoothEnoughIsRefused) {
  Model m("m");
  Expr u = m.input("u", callback([](double t, int) { return t; }, 1));
  Expr x = m.state("x", 0.0);
  m.equation(der(x) == u);
  const auto system = *compile_model(m.build())->system({});
  auto workspace = system->workspace();
  const std::vector<double> path(4, 0.0);
  std::vector<double> f(3);
  auto* levels = workspace->ability<DerivativeLevels<double>>();
  EXPECT_TRUE(static_cast<bool>(levels->residuals(0.0, std::span(path).first(3), 1, f)));
  EXPECT_THROW((void)levels->residuals(0.0, path, 2, f), ModelError);
}

}  // namespace
}  // namespace saltus
