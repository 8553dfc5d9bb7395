#include "stiff_models.hpp"

#include <cmath>
#include <numbers>
#include <string>

namespace saltus::bench {

namespace {

constexpr int n_cells = 100;
constexpr double diffusion = (n_cells + 1.0) * (n_cells + 1.0) / 50.0;

void brusselator_residual(double, const double* y, const double* ydot, double* f) {
  for (int i = 0; i < n_cells; ++i) {
    const double u = y[2 * i], v = y[2 * i + 1];
    const double u_left = i > 0 ? y[2 * i - 2] : 1.0, v_left = i > 0 ? y[2 * i - 1] : 3.0;
    const double u_right = i + 1 < n_cells ? y[2 * i + 2] : 1.0;
    const double v_right = i + 1 < n_cells ? y[2 * i + 3] : 3.0;
    const double uuv = u * u * v;
    f[2 * i] = ydot[2 * i] - (1.0 + uuv - 4.0 * u + diffusion * (u_left - 2.0 * u + u_right));
    f[2 * i + 1] = ydot[2 * i + 1] - (3.0 * u - uuv + diffusion * (v_left - 2.0 * v + v_right));
  }
}

// Column by column, rows ascending: cell to the left, own u and v, cell to the right.
void brusselator_jacobian(const double* y, double* values) {
  for (int i = 0; i < n_cells; ++i) {
    const double u = y[2 * i], v = y[2 * i + 1];
    if (i > 0) *values++ = -diffusion;
    *values++ = -(2.0 * u * v - 4.0 - 2.0 * diffusion);
    *values++ = -(3.0 - 2.0 * u * v);
    if (i + 1 < n_cells) *values++ = -diffusion;
    if (i > 0) *values++ = -diffusion;
    *values++ = -u * u;
    *values++ = u * u + 2.0 * diffusion;
    if (i + 1 < n_cells) *values++ = -diffusion;
  }
}

void robertson_residual(double, const double* y, const double* ydot, double* f) {
  const double forward = 0.04 * y[0] - 1e4 * y[1] * y[2], third = 3e7 * y[1] * y[1];
  f[0] = ydot[0] + forward;
  f[1] = ydot[1] - forward + third;
  f[2] = ydot[2] - third;
}

void robertson_jacobian(const double* y, double* values) {
  values[0] = 0.04;
  values[1] = -0.04;
  values[2] = 0.0;
  values[3] = -1e4 * y[2];
  values[4] = 1e4 * y[2] + 6e7 * y[1];
  values[5] = -6e7 * y[1];
  values[6] = -1e4 * y[1];
  values[7] = 1e4 * y[1];
  values[8] = 0.0;
}

/// Pattern from (row, column) pairs, the slots of its diagonal, and y' that satisfies the equations.
void finish(HandModel& m, const std::vector<index_t>& rows, const std::vector<index_t>& columns) {
  const auto n = static_cast<index_t>(m.y0.size());
  m.pattern = assemble(n, n, rows, columns).pattern;
  for (index_t j = 0; j < n; ++j) {
    for (auto s = m.pattern.column_start[static_cast<std::size_t>(j)];; ++s) {
      if (m.pattern.row[static_cast<std::size_t>(s)] != j) continue;
      m.diagonal.push_back(s);
      break;
    }
  }
  const std::vector<double> zero(m.y0.size());
  m.ydot0.resize(m.y0.size());
  m.residual(0.0, m.y0.data(), zero.data(), m.ydot0.data());
  for (double& value : m.ydot0) value = -value;
}

class HandWorkspace final : public Workspace {
 public:
  explicit HandWorkspace(const HandModel& model) : model_(model) {}
  Evaluation residual(double t, std::span<const double> x, std::span<const double> xdot,
                      std::span<double> f) override {
    model_.residual(t, x.data(), xdot.data(), f.data());
    return Evaluation::ok();
  }
  Evaluation jacobian(double, std::span<const double> x, std::span<const double>,
                      std::span<double> df_dx, std::span<double> df_dxdot) override {
    model_.jacobian(x.data(), df_dx.data());
    std::fill(df_dxdot.begin(), df_dxdot.end(), 0.0);
    for (const index_t s : model_.diagonal) df_dxdot[static_cast<std::size_t>(s)] = 1.0;
    return Evaluation::ok();
  }

 private:
  const HandModel& model_;
};

class HandSystem final : public System {
 public:
  explicit HandSystem(const HandModel& model)
      : model_(model),
        flags_(model.y0.size(), 1),
        map_(std::vector<VariableInfo>(model.y0.size())) {}
  std::uint32_t size() const override { return static_cast<std::uint32_t>(model_.y0.size()); }
  const CscPattern& pattern() const override { return model_.pattern; }
  std::span<const std::uint8_t> carries_derivative() const override { return flags_; }
  std::string unknown_name(std::uint32_t i) const override { return "y" + std::to_string(i); }
  std::string equation_name(std::uint32_t i) const override { return std::to_string(i); }
  double nominal(std::uint32_t) const override { return 1.0; }
  StartValues start_values() const override { return {model_.y0, model_.ydot0, flags_}; }
  const VariableMap& variable_map() const override { return map_; }
  std::unique_ptr<Workspace> workspace() const override {
    return std::make_unique<HandWorkspace>(model_);
  }

 private:
  HandModel model_;
  std::vector<std::uint8_t> flags_;
  IdentityMap map_;
};

}  // namespace

HandModel brusselator() {
  HandModel m;
  m.residual = &brusselator_residual;
  m.jacobian = &brusselator_jacobian;
  m.t_end = 10.0;
  m.rtol = m.atol = 1e-6;
  std::vector<index_t> rows, columns;
  for (int i = 0; i < n_cells; ++i) {
    const double x = (i + 1.0) / (n_cells + 1.0);
    m.y0.push_back(1.0 + std::sin(2.0 * std::numbers::pi * x));
    m.y0.push_back(3.0);
    for (int k = 0; k < 2; ++k) {
      for (const int row : {2 * i - 2 + k, 2 * i, 2 * i + 1, 2 * i + 2 + k}) {
        if (row < 0 || row >= 2 * n_cells) continue;
        rows.push_back(row);
        columns.push_back(2 * i + k);
      }
    }
  }
  finish(m, rows, columns);
  return m;
}

HandModel robertson() {
  HandModel m;
  m.residual = &robertson_residual;
  m.jacobian = &robertson_jacobian;
  m.t_end = 4e5;
  m.rtol = 1e-6;
  m.atol = 1e-10;
  m.y0 = {1.0, 0.0, 0.0};
  finish(m, {0, 1, 2, 0, 1, 2, 0, 1, 2}, {0, 0, 0, 1, 1, 1, 2, 2, 2});
  return m;
}

std::shared_ptr<const System> hand_written_system(const HandModel& model) {
  return std::make_shared<HandSystem>(model);
}

}  // namespace saltus::bench
