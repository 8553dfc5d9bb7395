#include "initialize/initial_newton.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <saltus/initialize/consistent.hpp>

#include "initialize/start_matrix.hpp"
#include "numerics/eigen.hpp"

namespace saltus::detail {

namespace {

class StateSearch {
 public:
  StateSearch(const System& system, Workspace& workspace, double t, const StartValues& stated,
              InitialEquations& equations, const std::vector<std::uint8_t>& open,
              const InitialStartOptions& options)
      : system_(system),
        workspace_(workspace),
        t_(t),
        guess_(stated),
        equations_(equations),
        options_(options),
        matrix_(make_selecting_matrix(system, workspace)),
        r_(equations.count()),
        dr_(static_cast<std::size_t>(equations.pattern().nnz())) {
    for (std::uint32_t e = 0; e < open.size(); ++e)
      if (open[e]) rows_.push_back(e);
    for (std::uint32_t i = 0; i < system.size(); ++i)
      if (system.carries_derivative()[i] && !stated.x_given[i]) moving_.push_back(i);
  }

  std::optional<InitialStart> run() {
    if (rows_.size() > moving_.size() || reads_more() || !go_to(guess_.x)) return std::nullopt;
    if (!choose() || !iterate()) return std::nullopt;
    InitialStart found{now_.x, now_.xdot, {}, false};
    for (std::uint32_t i = 0; i < system_.size(); ++i)
      if (system_.carries_derivative()[i] && !guess_.x_given[i] &&
          std::ranges::find(moving_, i) == moving_.end())
        found.kept_guesses.push_back(i);
    return found;
  }

 private:
  using Matrix = Eigen::MatrixXd;
  using Vector = Eigen::VectorXd;

  /// x' of an unknown without derivative is not a part of (I.1).
  bool reads_more() const {
    const CscPattern& p = equations_.pattern();
    for (std::uint32_t i = 0; i < system_.size(); ++i) {
      const std::size_t j = system_.size() + static_cast<std::size_t>(i);
      if (!system_.carries_derivative()[i] && p.column_start[j] != p.column_start[j + 1])
        return true;
    }
    return false;
  }

  /// The consistent point with these values of the states, and the equations there.
  bool go_to(const std::vector<double>& x) {
    StartValues at = guess_;
    at.x = x;
    if (!now_.xdot.empty()) at.xdot = now_.xdot;
    std::vector<double> weights(system_.size());
    for (std::uint32_t i = 0; i < system_.size(); ++i)
      weights[i] = 1e6 / (std::abs(x[i]) + system_.nominal(i));
    InitializeOptions search;
    search.time_scale = options_.time_scale;
    auto found = find_consistent_start(system_, workspace_, t_, at, weights, search);
    if (!found || !equations_.residual(t_, found->x, found->xdot, r_)) return false;
    now_ = std::move(*found);
    for (std::uint32_t i = 0; i < system_.size(); ++i)
      if (system_.carries_derivative()[i] && now_.x[i] != x[i]) return false;
    return true;
  }

  Vector residual() const {
    Vector r(static_cast<Eigen::Index>(rows_.size()));
    for (std::size_t k = 0; k < rows_.size(); ++k) r[static_cast<Eigen::Index>(k)] = r_[rows_[k]];
    return r;
  }

  /// dr/ds, each column in units of its unknown.
  bool slopes(Matrix& to) {
    const auto nnz = static_cast<std::size_t>(system_.pattern().nnz());
    JacobianValues j{std::vector<double>(nnz), std::vector<double>(nnz)};
    if (!workspace_.jacobian(t_, now_.x, now_.xdot, j.df_dx, j.df_dxdot) || !matrix_->factor(j) ||
        matrix_->is_doubtful() || !equations_.jacobian(t_, now_.x, now_.xdot, dr_))
      return false;
    const std::size_t n = system_.size();
    std::vector<std::uint32_t> row_number(equations_.count(), 0);
    std::vector<std::uint8_t> is_row(equations_.count(), 0);
    for (std::size_t k = 0; k < rows_.size(); ++k) {
      row_number[rows_[k]] = static_cast<std::uint32_t>(k);
      is_row[rows_[k]] = 1;
    }
    to = Matrix::Zero(static_cast<Eigen::Index>(rows_.size()),
                      static_cast<Eigen::Index>(moving_.size()));
    std::vector<double> w(n), change(2 * n);
    const CscPattern &f = system_.pattern(), &r = equations_.pattern();
    for (std::size_t c = 0; c < moving_.size(); ++c) {
      std::ranges::fill(w, 0.0);
      const std::uint32_t i = moving_[c];
      for (auto s = static_cast<std::size_t>(f.column_start[i]);
           s < static_cast<std::size_t>(f.column_start[i + 1]); ++s)
        w[static_cast<std::size_t>(f.row[s])] = -j.df_dx[s];
      matrix_->solve(w);
      matrix_->split(w, std::span(change).first(n), std::span(change).last(n));
      change[i] = 1.0;
      const double unit = system_.nominal(i);
      for (std::size_t k = 0; k < 2 * n; ++k) {
        if (change[k] == 0) continue;
        for (auto s = static_cast<std::size_t>(r.column_start[k]);
             s < static_cast<std::size_t>(r.column_start[k + 1]); ++s) {
          const auto row = static_cast<std::size_t>(r.row[s]);
          if (is_row[row])
            to(static_cast<Eigen::Index>(row_number[row]), static_cast<Eigen::Index>(c)) +=
                unit * dr_[s] * change[k];
        }
      }
    }
    return to.allFinite();
  }

  /// As many unknowns as there are equations, which determine them.
  bool choose() {
    constexpr double dependent = 1e-10;  // of the largest pivot
    if (rows_.size() == moving_.size()) return true;
    Matrix all;
    if (!slopes(all)) return false;
    Eigen::ColPivHouseholderQR<Matrix> qr;
    qr.setThreshold(dependent);
    qr.compute(all);
    if (qr.rank() < all.rows()) return false;
    std::vector<std::uint32_t> chosen;
    for (Eigen::Index k = 0; k < all.rows(); ++k)
      chosen.push_back(moving_[static_cast<std::size_t>(qr.colsPermutation().indices()[k])]);
    std::ranges::sort(chosen);
    moving_ = std::move(chosen);
    return true;
  }

  /// Damped by the natural monotonicity test, as in (I.1).
  bool iterate() {
    constexpr int most = 50;
    constexpr double smallest = 0x1p-12, rounding = 1e-14, nearly = 1e-9;
    double last = std::numeric_limits<double>::infinity();
    for (int k = 0; k < most; ++k) {
      Matrix slope;
      if (!slopes(slope)) return false;
      const Eigen::PartialPivLU<Matrix> lu(slope);
      if (!(lu.rcond() > 4 * std::numeric_limits<double>::epsilon())) return false;
      const Vector step = -lu.solve(residual());
      const double size = size_of(step);
      if (!std::isfinite(size)) return false;
      // Near the solution steps that no longer shrink are rounding.
      if (size <= rounding || (last <= nearly && size >= last / 2)) return true;
      const std::vector<double> before = now_.x;
      bool taken = false;
      for (double lambda = 1.0; lambda >= smallest && !taken; lambda /= 2) {
        std::vector<double> x = before;
        for (std::size_t c = 0; c < moving_.size(); ++c)
          x[moving_[c]] +=
              lambda * step[static_cast<Eigen::Index>(c)] * system_.nominal(moving_[c]);
        taken = go_to(x) &&
                (size <= nearly || size_of(lu.solve(residual())) <= (1.0 - lambda / 4) * size);
      }
      if (!taken) return false;
      last = size;
    }
    return last <= nearly;
  }

  /// Largest change, of the size of its unknown.
  double size_of(const Vector& step) const {
    double size = 0.0;
    for (std::size_t c = 0; c < moving_.size(); ++c) {
      const double unit = system_.nominal(moving_[c]);
      const double change = std::abs(step[static_cast<Eigen::Index>(c)]) * unit;
      size = std::max(size, change / (std::abs(now_.x[moving_[c]]) + unit));
    }
    return size;
  }

  const System& system_;
  Workspace& workspace_;
  double t_;
  const StartValues& guess_;
  InitialEquations& equations_;
  const InitialStartOptions& options_;
  std::unique_ptr<StartMatrix> matrix_;
  std::vector<std::uint32_t> rows_, moving_;
  std::vector<double> r_, dr_;
  ConsistentStart now_;
};

}  // namespace

std::optional<InitialStart> initial_start_by_states(const System& system, Workspace& workspace,
                                                    double t, const StartValues& stated,
                                                    InitialEquations& equations,
                                                    const std::vector<std::uint8_t>& open,
                                                    const InitialStartOptions& options) {
  if (system.n_equations() != system.size()) return std::nullopt;
  return StateSearch(system, workspace, t, stated, equations, open, options).run();
}

}  // namespace saltus::detail
