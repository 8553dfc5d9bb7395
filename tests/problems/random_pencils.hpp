// Random linear systems E x' = A x + f(t) of known Weierstrass form, with their exact solutions.
//
//   E = P diag(I, N) R,   A = P diag(J, I) R,   f = P (p, q),   (z, w) = R x,
//   z' = J z + p(t),      N w' = w + q(t),
//
// with N nilpotent (chains of length 4 at most), p and q polynomials of degree 3. From any left limit x- at
// t0 the part z goes on from its value, w jumps to  w+ = -sum_i N^i q^(i)(t0),  and with v = w- - w+ the
// impulses are  -sum_{i >= 1} N^i v delta^(i-1).
//
// P and R are products of shears, scaled rotations and powers of two, all numbers of few binary digits: E, A
// and f are exact in double precision, and their ranks are those meant. Condition numbers are drawn from
// 10^0 … 10^3 each, units of equations from 2^-10 … 2^10.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <eigen3/Eigen/Dense>

#include <saltus/model.hpp>

namespace saltus::problems {

struct RandomPencilOptions {
  int max_unknowns = 8;
  int max_chain = 4;           // = largest index
  double max_condition = 1e3;  // of P and of R
  int row_bits = 10;           // equations are multiplied by 2^-row_bits … 2^row_bits
  int max_finite = 4;
};

class RandomPencil {
 public:
  using Matrix = Eigen::MatrixXd;
  using Vector = Eigen::VectorXd;
  using LongMatrix = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
  using LongVector = Eigen::Matrix<long double, Eigen::Dynamic, 1>;
  static constexpr int degree = 3;

  explicit RandomPencil(std::uint64_t seed, RandomPencilOptions options = {})
      : random_(seed), options_(options) {
    choose_form();
    while (!disguise()) {
    }
    x_minus = Vector::NullaryExpr(n, [&] { return dyadic(8, 64); });
    t0 = dyadic(2, 64);
  }

  // What a system is made of. Row i:  sum_j E_ij x_j' - A_ij x_j - sum_k f(i, k) t^k = 0.
  Matrix E, A, f;
  double t0 = 0.0;
  Vector x_minus;
  /// Number of unknowns, of the part z, and the largest chain (the index).
  Eigen::Index n = 0, n_finite = 0;
  int index = 0;
  double condition = 1.0;  // the larger one of P and R
  std::string text;        // for messages

  /// Of another left limit, for modes that are entered more than once.
  Vector jump(double t, const Vector& left) const {
    const LongVector zw = canonical(t, left);
    return (r_inverse_ * zw).cast<double>();
  }
  Vector jump() const { return jump(t0, x_minus); }

  /// Strengths of delta^(order).
  Vector impulse(int order, double t, const Vector& left) const {
    LongVector v = LongVector::Zero(n);
    v.tail(n - n_finite) = (r_ * left.cast<long double>() - canonical(t, left)).tail(n - n_finite);
    for (int k = 0; k <= order; ++k) v = nilpotent_ * v;
    return -(r_inverse_ * v).cast<double>();
  }
  Vector impulse(int order) const { return impulse(order, t0, x_minus); }

  /// x(t) for t >= t_start after the jump there: matrix exponential and polynomials.
  Vector solution(double t, double t_start, const Vector& left) const {
    const LongVector zw = canonical(t_start, left);
    LongVector now(n);
    now.tail(n - n_finite) = consistent_w(t);
    now.head(n_finite) = propagate(zw.head(n_finite), t_start, t);
    return (r_inverse_ * now).cast<double>();
  }
  Vector solution(double t) const { return solution(t, t0, x_minus); }

  /// E x' - A x - f(t) of the solution, relative: for tests of this class.
  double residual_of_solution(double t) const {
    const double h = 1e-4;
    const Vector slope =
        (-solution(t + 2 * h) + 8 * solution(t + h) - 8 * solution(t - h) + solution(t - 2 * h)) /
        (12 * h);
    const Vector x = solution(t);
    const Vector r = E * slope - A * x - forcing(t);
    const Vector size =
        E.cwiseAbs() * slope.cwiseAbs() + A.cwiseAbs() * x.cwiseAbs() + Vector::Constant(n, 1e-3);
    return r.cwiseAbs().cwiseQuotient(size).maxCoeff();
  }
  Vector forcing(double t) const {
    Vector value = Vector::Zero(n);
    for (int k = degree; k >= 0; --k) value = value * t + f.col(k);
    return value;
  }

  /// Unknowns x0, x1, … that start at x_minus, equations e0, e1, ….
  void write(Model& m) const {
    std::vector<Expr> x;
    for (Eigen::Index i = 0; i < n; ++i) {
      x.push_back(m.state("x" + std::to_string(i), x_minus[i]));
    }
    for (Eigen::Index i = 0; i < n; ++i) m.equation("e" + std::to_string(i), row(m, x, i) == 0.0);
  }
  /// The left side of equation i, for models that write it under a condition of their own.
  Expr row(Model& m, const std::vector<Expr>& x, Eigen::Index i) const {
    Expr sum(0.0);
    for (Eigen::Index j = 0; j < n; ++j) {
      const auto k = static_cast<std::size_t>(j);
      if (E(i, j) != 0.0) sum = sum + E(i, j) * der(x[k]);
      if (A(i, j) != 0.0) sum = sum - A(i, j) * x[k];
    }
    Expr power(1.0);
    for (int k = 0; k <= degree; ++k) {
      if (f(i, k) != 0.0) sum = sum - f(i, k) * power;
      power = k == 0 ? m.time() : power * m.time();
    }
    return sum;
  }

 private:
  unsigned below(unsigned limit) { return static_cast<unsigned>(random_() % limit); }
  /// A multiple of 1 / parts between -whole and whole.
  double dyadic(unsigned whole, unsigned parts) {
    return (static_cast<double>(below(2 * whole * parts + 1)) - whole * parts) / parts;
  }

  void choose_form() {
    std::vector<Eigen::Index> chains;
    do {
      n_finite = static_cast<Eigen::Index>(below(static_cast<unsigned>(options_.max_finite) + 1));
      chains.resize(1 + below(3));
      n = n_finite;
      for (Eigen::Index& c : chains) {
        c = 1 + static_cast<Eigen::Index>(below(static_cast<unsigned>(options_.max_chain)));
        n += c;
      }
    } while (n > options_.max_unknowns || n < 2);
    index = static_cast<int>(*std::max_element(chains.begin(), chains.end()));
    nilpotent_ = LongMatrix::Zero(n, n);
    finite_ = LongMatrix::Zero(n_finite, n_finite);
    Eigen::Index first = n_finite;
    for (const Eigen::Index c : chains) {
      for (Eigen::Index k = 0; k + 1 < c; ++k) nilpotent_(first + k, first + k + 1) = 1.0L;
      first += c;
    }
    for (Eigen::Index i = 0; i < n_finite; ++i) {
      for (Eigen::Index j = 0; j < n_finite; ++j) finite_(i, j) = dyadic(1, 4);
    }
    pq_ = LongMatrix::NullaryExpr(n, degree + 1, [&] { return dyadic(1, 4); });
    text = "n = " + std::to_string(n) + ", index " + std::to_string(index) + ", " +
           std::to_string(n_finite) + " differential";
  }

  /// A product of elementary matrices whose condition is near a random target.
  LongMatrix mixing(double& reached) {
    const double target =
        std::pow(options_.max_condition, static_cast<double>(below(1001)) / 1000.0);
    LongMatrix u = LongMatrix::Identity(n, n);
    reached = 1.0;
    const unsigned least = 2 * static_cast<unsigned>(n);
    for (unsigned k = 0; k < 4 * least; ++k) {
      LongMatrix next = u;
      const auto i = static_cast<Eigen::Index>(below(static_cast<unsigned>(n)));
      const auto j = static_cast<Eigen::Index>(below(static_cast<unsigned>(n)));
      if (i == j) continue;
      const bool rotates = below(3) == 0;
      if (rotates) {  // by 45 degrees, and longer by sqrt(2)
        next.row(i) = u.row(i) + u.row(j);
        next.row(j) = u.row(j) - u.row(i);
      } else {
        next.row(i) += dyadic(2, 2) * u.row(j);
      }
      const Eigen::JacobiSVD<Matrix> svd(next.cast<double>());
      const double now = svd.singularValues()[0] / svd.singularValues()[n - 1];
      if (now > target) continue;
      u = next;
      reached = now;
      if (k >= least && now > target / 2) break;
    }
    return u;
  }

  /// False if a number needs more digits than a double has.
  bool disguise() {
    double of_p = 1.0, of_r = 1.0;
    LongMatrix p = mixing(of_p);
    r_ = mixing(of_r);
    condition = std::max(of_p, of_r);
    const auto bits = static_cast<unsigned>(options_.row_bits);
    for (Eigen::Index i = 0; i < n; ++i) {
      p.row(i) *= std::ldexp(1.0L, static_cast<int>(below(2 * bits + 1)) - options_.row_bits);
    }
    r_inverse_ = r_.fullPivLu().inverse();
    LongMatrix of_e = nilpotent_, of_a = LongMatrix::Identity(n, n);
    of_e.topLeftCorner(n_finite, n_finite).setIdentity();
    of_a.topLeftCorner(n_finite, n_finite) = finite_;
    return exactly(p * of_e * r_, E) && exactly(p * of_a * r_, A) && exactly(p * pq_, f);
  }
  static bool exactly(const LongMatrix& from, Matrix& to) {
    to = from.cast<double>();
    return to.cast<long double>() == from;
  }

  /// w+ = -sum_i N^i q^(i)(t), as the last n - n_finite entries.
  LongVector consistent_w(double t) const {
    LongVector w = LongVector::Zero(n);
    LongMatrix power = LongMatrix::Identity(n, n);
    LongMatrix coefficients = pq_;
    coefficients.topRows(n_finite).setZero();
    for (int i = 0; i <= degree; ++i) {
      LongVector value = LongVector::Zero(n);
      for (Eigen::Index k = degree; k >= 0; --k) {
        value = value * static_cast<long double>(t) + coefficients.col(k);
      }
      w -= power * value;
      power = power * nilpotent_;
      for (Eigen::Index k = 0; k < degree; ++k) {
        coefficients.col(k) = static_cast<long double>(k + 1) * coefficients.col(k + 1);
      }
      coefficients.col(degree).setZero();
    }
    return w.tail(n - n_finite);
  }

  LongVector canonical(double t, const Vector& left) const {
    LongVector zw = r_ * left.cast<long double>();
    zw.tail(n - n_finite) = consistent_w(t);
    return zw;
  }

  /// (z, 1, t, t^2, t^3)' = M (z, 1, t, …), by its exponential: halved until small, Taylor, squared.
  LongVector propagate(const LongVector& z, double from, double to) const {
    constexpr int n_terms = 24;
    const Eigen::Index size = n_finite + degree + 1;
    LongMatrix m = LongMatrix::Zero(size, size);
    m.topLeftCorner(n_finite, n_finite) = finite_;
    m.topRightCorner(n_finite, degree + 1) = pq_.topRows(n_finite);
    for (Eigen::Index k = 1; k <= degree; ++k) {
      m(n_finite + k, n_finite + k - 1) = static_cast<long double>(k);
    }
    m *= static_cast<long double>(to) - static_cast<long double>(from);
    int halvings = 0;
    for (; m.cwiseAbs().rowwise().sum().maxCoeff() > 0.5L; ++halvings) m /= 2.0L;
    LongMatrix term = LongMatrix::Identity(size, size), sum = term;
    for (int k = 1; k <= n_terms; ++k) {
      term = (term * m / static_cast<long double>(k)).eval();
      sum += term;
    }
    for (; halvings > 0; --halvings) sum = (sum * sum).eval();
    LongVector u(size);
    u.head(n_finite) = z;
    long double power = 1.0L;
    for (Eigen::Index k = 0; k <= degree; ++k, power *= from) u[n_finite + k] = power;
    return (sum * u).head(n_finite);
  }

  std::mt19937_64 random_;
  RandomPencilOptions options_;
  LongMatrix nilpotent_, finite_, pq_, r_, r_inverse_;
};

}  // namespace saltus::problems
