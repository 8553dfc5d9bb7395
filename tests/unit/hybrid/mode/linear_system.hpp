// Linear systems E x' + A x = b(t) of any index, by their matrices: they offer their derivatives.
#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <saltus/system/abilities.hpp>
#include <saltus/system/initial_equations.hpp>
#include <saltus/system/system.hpp>

namespace saltus::hybrid_test {

struct LinearUnknown {
  std::string name;
  double start = 0.0;
  bool is_stated = true;
  bool has_derivative = true;
  std::string unit = {};
};

struct LinearParts {
  std::vector<LinearUnknown> unknowns;
  std::vector<std::vector<double>> e, a;  // rows
  std::vector<double> b;                  // constant
  /// From here on b_0 is larger by 10. Known as a scheduled time, if not NaN.
  double breakpoint = std::nan("");
  /// An equation at the start: unknown 0 has this value.
  double initial = std::nan("");
  bool offers_derivatives = true;
  /// A discrete variable, added to b_0 or a factor of the last entry of A. It is not offered if NaN.
  double discrete = std::nan("");
  bool discrete_is_factor = false;
};

/// C1 u' = i, 2 w' = -i, u = w: charge u + 2 w stays.
inline LinearParts two_capacitors(double u, double w) {
  return {.unknowns = {{"u", u}, {"w", w}, {"i", 0.0, false, false, "A"}},
          .e = {{1, 0, 0}, {0, 2, 0}, {0, 0, 0}},
          .a = {{0, 0, -1}, {0, 0, 1}, {1, -1, 0}},
          .b = {0, 0, 0}};
}

class LinearSystem final : public System {
 public:
  explicit LinearSystem(LinearParts parts) : p_(std::move(parts)) {
    const auto n = static_cast<index_t>(p_.unknowns.size());
    pattern_.n_rows = static_cast<index_t>(p_.a.size());
    pattern_.n_cols = n;
    std::vector<VariableInfo> variables;
    for (index_t j = 0; j < n; ++j) {
      for (index_t i = 0; i < pattern_.n_rows; ++i) pattern_.row.push_back(i);
      pattern_.column_start.push_back(pattern_.nnz());
    }
    for (const LinearUnknown& u : p_.unknowns) {
      carries_.push_back(u.has_derivative ? 1 : 0);
      variables.push_back({u.name, u.unit, ""});
    }
    map_ = std::make_unique<IdentityMap>(std::move(variables));
    initial_pattern_ = {
        1, 2 * n, std::vector<index_t>(static_cast<std::size_t>(2 * n) + 1, 1), {0}};
    initial_pattern_.column_start.front() = 0;
  }

  std::uint32_t size() const override { return static_cast<std::uint32_t>(p_.unknowns.size()); }
  std::uint32_t n_equations() const override { return static_cast<std::uint32_t>(p_.a.size()); }
  const CscPattern& pattern() const override { return pattern_; }
  std::span<const std::uint8_t> carries_derivative() const override { return carries_; }
  std::string unknown_name(std::uint32_t i) const override { return p_.unknowns[i].name; }
  std::string equation_name(std::uint32_t i) const override { return "row " + std::to_string(i); }
  double nominal(std::uint32_t) const override { return 1.0; }
  StartValues start_values() const override {
    StartValues start;
    for (const LinearUnknown& u : p_.unknowns) {
      start.x.push_back(u.start);
      start.x_given.push_back(u.is_stated ? 1 : 0);
    }
    start.xdot.assign(start.x.size(), 0.0);
    return start;
  }
  const VariableMap& variable_map() const override { return *map_; }
  std::unique_ptr<Workspace> workspace() const override { return std::make_unique<Work>(*this); }

 private:
  struct Held {
    double of_piece = 0.0, discrete = 0.0;
  };

  template <class T>
  struct Levels final : DerivativeLevels<T> {
    Levels(const LinearSystem& system, const Held& held) : s(system), now(held) {}
    Evaluation residuals(double, std::span<const T> path, int level, std::span<T> f) override {
      const std::size_t m = s.p_.a.size(), n = s.p_.unknowns.size();
      for (std::size_t k = 0; k <= static_cast<std::size_t>(level); ++k) {
        for (std::size_t i = 0; i < m; ++i) {
          T sum = k == 0 ? -(s.p_.b[i] + (i == 0 ? s.added(now) : 0.0)) : 0.0;
          for (std::size_t j = 0; j < n; ++j)
            sum += T(s.of_x(i, j, now)) * path[k * n + j] +
                   T(s.p_.e[i][j] * static_cast<double>(k + 1)) * path[(k + 1) * n + j];
          f[k * m + i] = sum;
        }
      }
      return Evaluation::ok();
    }
    Evaluation jacobians(double, std::span<const T>, int, std::span<T> a, std::span<T> b) override {
      for (T& value : a) value = T(0.0);
      for (T& value : b) value = T(0.0);
      s.matrices(now, a, b);
      return Evaluation::ok();
    }
    const LinearSystem& s;
    const Held& now;
  };

  struct FirstValue final : InitialEquations {
    explicit FirstValue(const LinearSystem& system) : s(system) {}
    std::uint32_t count() const override { return 1; }
    std::string name(std::uint32_t) const override { return "first value"; }
    Evaluation residual(double, std::span<const double> x, std::span<const double>,
                        std::span<double> r) override {
      r[0] = x[0] - s.p_.initial;
      return Evaluation::ok();
    }
    const CscPattern& pattern() const override { return s.initial_pattern_; }
    Evaluation jacobian(double, std::span<const double>, std::span<const double>,
                        std::span<double> dr) override {
      dr[0] = 1.0;
      return Evaluation::ok();
    }
    const LinearSystem& s;
  };

  class Work final : public Workspace, public ScheduledTimes, public HeldValues {
   public:
    explicit Work(const LinearSystem& system)
        : s_(system), levels_(system, now_), exact_(system, now_), first_(system) {
      if (!std::isnan(s_.p_.discrete)) now_.discrete = s_.p_.discrete;
      if (s_.p_.offers_derivatives) {
        offer<DerivativeLevels<double>>(levels_);
        offer<DerivativeLevels<Quad>>(exact_);
      }
      if (!std::isnan(s_.p_.breakpoint)) offer<ScheduledTimes>(*this);
      if (!std::isnan(s_.p_.initial)) offer<InitialEquations>(first_);
      if (!std::isnan(s_.p_.discrete)) offer<HeldValues>(*this);
    }
    Evaluation residual(double t, std::span<const double> x, std::span<const double> xdot,
                        std::span<double> f) override {
      std::vector<double> path(x.begin(), x.end());
      path.insert(path.end(), xdot.begin(), xdot.end());
      return levels_.residuals(t, path, 0, f);
    }
    Evaluation jacobian(double, std::span<const double>, std::span<const double>,
                        std::span<double> df_dx, std::span<double> df_dxdot) override {
      s_.matrices(now_, df_dx, df_dxdot);
      return Evaluation::ok();
    }
    double next(double t, double t_end) const override {
      return s_.p_.breakpoint > t && s_.p_.breakpoint < t_end ? s_.p_.breakpoint : t_end;
    }
    void enter_stretch(double t_from, double) override {
      now_.of_piece = t_from >= s_.p_.breakpoint ? 10.0 : 0.0;
    }

    std::span<double> parameters() override { return {}; }
    std::span<double> discrete() override { return {&now_.discrete, 1}; }

   private:
    const LinearSystem& s_;
    Held now_;
    Levels<double> levels_;
    Levels<Quad> exact_;
    FirstValue first_;
  };

  double added(const Held& now) const {
    return now.of_piece + (p_.discrete_is_factor ? 0.0 : now.discrete);
  }
  double of_x(std::size_t i, std::size_t j, const Held& now) const {
    const bool is_last = i + 1 == p_.a.size() && j + 1 == p_.unknowns.size();
    return p_.a[i][j] * (is_last && p_.discrete_is_factor ? now.discrete : 1.0);
  }
  template <class T>
  void matrices(const Held& now, std::span<T> a, std::span<T> b) const {
    std::size_t slot = 0;
    for (std::size_t j = 0; j < p_.unknowns.size(); ++j)
      for (std::size_t i = 0; i < p_.a.size(); ++i, ++slot)
        a[slot] = T(of_x(i, j, now)), b[slot] = T(p_.e[i][j]);
  }

  LinearParts p_;
  CscPattern pattern_, initial_pattern_;
  std::vector<std::uint8_t> carries_;
  std::unique_ptr<IdentityMap> map_;
};

inline std::shared_ptr<const System> linear_system(LinearParts parts) {
  return std::make_shared<LinearSystem>(std::move(parts));
}

}  // namespace saltus::hybrid_test
