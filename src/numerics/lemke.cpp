#include <saltus/numerics/lemke.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <saltus/core/error.hpp>

namespace saltus {
namespace {

constexpr double lemke_eps = std::numeric_limits<double>::epsilon();

// Variables are numbered w_0 ... w_{n-1}, z_0 ... z_{n-1}, z0 (the artificial one).
class LemkeTableau {
 public:
  LemkeTableau(std::span<const double> q, const Matrix& m, const LemkeOptions& options)
      : q_(q),
        m_(m),
        options_(options),
        n_(q.size()),
        width_(2 * n_ + 2),
        rows_(n_ * width_, 0.0),
        basis_(n_),
        at_(2 * n_ + 1, not_basic) {
    for (std::size_t i = 0; i < n_; ++i) {
      basis_[i] = i;
      at_[i] = i;
    }
    fill();
  }

  LemkeResult run() {
    LemkeResult result;
    result.outcome = follow_path(result.n_pivots);
    if (result.outcome == LemkeOutcome::solved && !read_solution(result)) {
      result.outcome = LemkeOutcome::limit;
    }
    return result;
  }

 private:
  static constexpr std::size_t not_basic = std::numeric_limits<std::size_t>::max();

  double cover(std::size_t i) const { return options_.cover.empty() ? 1.0 : options_.cover[i]; }
  std::size_t constant() const { return 2 * n_ + 1; }
  /// q without what is rounding beside its largest entry: a row of zeros could not make up for it.
  double start(std::size_t i) const {
    return std::fabs(q_[i]) <= 64.0 * lemke_eps * constant_scale() ? 0.0 : q_[i];
  }
  double* row(std::size_t i) { return &rows_[i * width_]; }
  const double* row(std::size_t i) const { return &rows_[i * width_]; }

  /// All rows as they are before the first pivot.
  void fill() {
    std::fill(rows_.begin(), rows_.end(), 0.0);
    for (std::size_t i = 0; i < n_; ++i) {
      row(i)[i] = 1.0;
      for (std::size_t j = 0; j < n_; ++j) {
        row(i)[n_ + j] = -m_(i, j);
      }
      row(i)[2 * n_] = -cover(i);
      row(i)[constant()] = start(i);
    }
  }

  /// The tableau of the basis from q and M, without what rounding has left on the path to it. False if the basis is
  /// singular.
  bool compute_anew() {
    const std::vector<std::size_t> basis = basis_;
    fill();
    std::vector<bool> taken(n_, false);
    std::vector<std::size_t> structural;
    for (const std::size_t variable : basis) {
      // columns of w are unit vectors as yet
      if (variable < n_) {
        taken[variable] = true;
        basis_[variable] = variable;
        at_[variable] = variable;
      } else {
        structural.push_back(variable);
      }
    }
    for (const std::size_t variable : structural) {
      std::size_t best = not_basic;
      for (std::size_t i = 0; i < n_; ++i) {
        if (!taken[i] &&
            (best == not_basic || std::fabs(row(i)[variable]) > std::fabs(row(best)[variable]))) {
          best = i;
        }
      }
      if (best == not_basic || row(best)[variable] == 0.0) {
        return false;
      }
      eliminate_column(best, variable);
      taken[best] = true;
      basis_[best] = variable;
      at_[variable] = best;
    }
    return true;
  }

  LemkeOutcome follow_path(std::uint32_t& n_pivots) {
    std::size_t leaving = first_leaving();
    if (leaving == not_basic) {
      return LemkeOutcome::solved;  // q >= 0
    }
    const std::size_t artificial = 2 * n_;
    const std::size_t limit = options_.max_pivots != 0 ? options_.max_pivots : 100 + 20 * n_;
    std::size_t entering = artificial;
    while (true) {
      if (n_pivots == limit) {
        return LemkeOutcome::limit;
      }
      ++n_pivots;
      const std::size_t out = basis_[leaving];
      if (!pivot(leaving, entering)) {
        return LemkeOutcome::limit;
      }
      if (out == artificial) {
        return LemkeOutcome::solved;
      }
      entering = out < n_ ? out + n_ : out - n_;
      leaving = next_leaving(entering);
      if (leaving == not_basic && compute_anew()) {
        // a ray may be what rounding has made of a column
        leaving = next_leaving(entering);
      }
      if (leaving == not_basic) {
        return LemkeOutcome::ray;
      }
    }
  }

  /// The row that leaves for z0: the least (q_i, e_i) / d_i in lexicographic order, so the last of equals.
  std::size_t first_leaving() const {
    std::size_t best = not_basic;
    for (std::size_t i = 0; i < n_; ++i) {
      if (start(i) < 0.0 &&
          (best == not_basic || start(i) / cover(i) <= start(best) / cover(best))) {
        best = i;
      }
    }
    return best;
  }

  /// The row that leaves for `entering`; not_basic: none does, the path is a ray.
  std::size_t next_leaving(std::size_t entering) const {
    double largest = 0.0;
    for (std::size_t i = 0; i < n_; ++i) {
      largest = std::fmax(largest, std::fabs(row(i)[entering]));
    }
    const double zero = 16.0 * static_cast<double>(n_) * lemke_eps * largest;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < n_; ++i) {
      if (row(i)[entering] > zero) {
        least = std::fmin(least, row(i)[constant()] / row(i)[entering]);
      }
    }
    // Ratios that agree within rounding are equal; if z0 is among them the path ends.
    const double tie = least + 64.0 * lemke_eps * std::fmax(std::fabs(least), constant_scale());
    std::size_t best = not_basic;
    for (std::size_t i = 0; i < n_; ++i) {
      if (!(row(i)[entering] > zero) || row(i)[constant()] / row(i)[entering] > tie) {
        continue;
      }
      if (basis_[i] == 2 * n_) {
        return i;
      }
      if (best == not_basic || (options_.ties == LemkeTies::lexicographic &&
                                lexicographically_less(i, best, entering))) {
        best = i;
      }
    }
    return best;
  }

  double constant_scale() const {
    double largest = 0.0;
    for (const double x : q_) {
      largest = std::fmax(largest, std::fabs(x));
    }
    return largest;
  }

  /// Rows of the inverse basis, which stand in the columns of w, divided by the pivots. What is small beside its row
  /// is rounding, and no order.
  bool lexicographically_less(std::size_t i, std::size_t j, std::size_t entering) const {
    const double scale_i = 1.0 / row(i)[entering];
    const double scale_j = 1.0 / row(j)[entering];
    double largest = 0.0;
    for (std::size_t l = 0; l < n_; ++l) {
      largest = std::fmax(
          largest, std::fmax(std::fabs(row(i)[l] * scale_i), std::fabs(row(j)[l] * scale_j)));
    }
    for (std::size_t l = 0; l < n_; ++l) {
      const double a = row(i)[l] * scale_i;
      const double b = row(j)[l] * scale_j;
      if (std::fabs(a - b) > 64.0 * lemke_eps * largest) {
        return a < b;
      }
    }
    return false;
  }

  bool pivot(std::size_t leaving, std::size_t entering) {
    if (!std::isfinite(1.0 / row(leaving)[entering])) {
      return false;
    }
    eliminate_column(leaving, entering);
    at_[basis_[leaving]] = not_basic;
    at_[entering] = leaving;
    basis_[leaving] = entering;
    return true;
  }

  /// The column becomes the unit vector of row `leaving`.
  void eliminate_column(std::size_t leaving, std::size_t entering) {
    double* own = row(leaving);
    const double inverse = 1.0 / own[entering];
    for (std::size_t j = 0; j < width_; ++j) {
      own[j] *= inverse;
    }
    own[entering] = 1.0;
    const double scale = constant_scale();
    for (std::size_t i = 0; i < n_; ++i) {
      const double factor = row(i)[entering];
      if (i == leaving || factor == 0.0) {
        continue;
      }
      double* other = row(i);
      for (std::size_t j = 0; j < width_; ++j) {
        const double part = factor * own[j];
        const double rest = other[j] - part;
        // what cancels is zero, or ties would be decided by rounding
        other[j] = std::fabs(rest) <= 8.0 * lemke_eps * std::fabs(part) ? 0.0 : rest;
      }
      other[entering] = 0.0;
      // what was a tie is exactly one from now on
      if (std::fabs(other[constant()]) <= 64.0 * lemke_eps * scale) {
        other[constant()] = 0.0;
      }
    }
  }

  /// z from M_aa z_a = -q_a with the basic indices a; false if it is singular or negative.
  bool read_solution(LemkeResult& result) const {
    std::vector<std::size_t> basic;
    for (std::size_t i = 0; i < n_; ++i) {
      if (at_[n_ + i] != not_basic) {
        basic.push_back(i);
      }
    }
    const std::size_t k = basic.size();
    std::vector<double> a(k * k);
    std::vector<double> z(k);
    for (std::size_t i = 0; i < k; ++i) {
      z[i] = -start(basic[i]);
      for (std::size_t j = 0; j < k; ++j) {
        a[i * k + j] = m_(basic[i], basic[j]);
      }
    }
    if (!eliminate(a, z)) {
      return false;
    }
    result.z.assign(n_, 0.0);
    result.w.assign(n_, 0.0);
    double largest = 0.0;
    for (std::size_t i = 0; i < k; ++i) {
      result.z[basic[i]] = z[i];
      largest = std::fmax(largest, std::fabs(z[i]));
    }
    const double slack = std::sqrt(lemke_eps);  // of a basis that is right but badly conditioned
    for (std::size_t i = 0; i < n_; ++i) {
      if (result.z[i] < -slack * largest) {
        return false;
      }
      result.z[i] = std::fmax(result.z[i], 0.0);
    }
    for (std::size_t i = 0; i < n_; ++i) {
      if (at_[n_ + i] != not_basic) {
        continue;
      }
      double w = start(i);
      double size = std::fabs(w);
      for (const std::size_t j : basic) {
        w += m_(i, j) * result.z[j];
        size += std::fabs(m_(i, j) * result.z[j]);
      }
      if (w < -slack * size) {
        return false;
      }
      result.w[i] = std::fmax(w, 0.0);
    }
    return true;
  }

  static bool eliminate(std::vector<double>& a, std::vector<double>& b) {
    const std::size_t n = b.size();
    for (std::size_t j = 0; j < n; ++j) {
      std::size_t p = j;
      for (std::size_t i = j + 1; i < n; ++i) {
        if (std::fabs(a[i * n + j]) > std::fabs(a[p * n + j])) {
          p = i;
        }
      }
      if (a[p * n + j] == 0.0 || !std::isfinite(a[p * n + j])) {
        return false;
      }
      if (p != j) {
        std::swap_ranges(&a[j * n], &a[j * n] + n, &a[p * n]);
        std::swap(b[j], b[p]);
      }
      for (std::size_t i = j + 1; i < n; ++i) {
        const double factor = a[i * n + j] / a[j * n + j];
        for (std::size_t l = j + 1; factor != 0.0 && l < n; ++l) {
          a[i * n + l] -= factor * a[j * n + l];
        }
        b[i] -= factor * b[j];
      }
    }
    for (std::size_t j = n; j-- > 0;) {
      for (std::size_t l = j + 1; l < n; ++l) {
        b[j] -= a[j * n + l] * b[l];
      }
      b[j] /= a[j * n + j];
    }
    return true;
  }

  std::span<const double> q_;
  const Matrix& m_;
  const LemkeOptions& options_;
  std::size_t n_;
  std::size_t width_;
  std::vector<double> rows_;
  std::vector<std::size_t> basis_;  // the variable of each row
  std::vector<std::size_t> at_;     // the row of each variable
};

}  // namespace

LemkeResult lemke(std::span<const double> q, const Matrix& m, const LemkeOptions& options) {
  SALTUS_ASSERT(m.n_rows == q.size() && m.n_cols == q.size());
  SALTUS_ASSERT(options.cover.empty() || options.cover.size() == q.size());
  const auto finite = [](double x) { return std::isfinite(x); };
  if (!std::all_of(q.begin(), q.end(), finite) ||
      !std::all_of(m.values.begin(), m.values.end(), finite)) {
    return {};
  }
  for (std::size_t i = 0; i < q.size() && !options.cover.empty(); ++i) {
    SALTUS_ASSERT(options.cover[i] >= 0.0 && (options.cover[i] > 0.0 || q[i] >= 0.0));
  }
  return LemkeTableau(q, m, options).run();
}

}  // namespace saltus
