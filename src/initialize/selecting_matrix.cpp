#include <limits>

#include <saltus/system/abilities.hpp>

#include "initialize/start_matrix.hpp"

namespace saltus::detail {

namespace {

class SelectingMatrix final : public StartMatrix {
 public:
  SelectingMatrix(const System& system, Workspace& workspace)
      : system_(system),
        choice_(workspace.ability<ChosenStates>()),
        solver_(system.pattern(), LinearSolverKind::automatic),
        values_(static_cast<std::size_t>(system.pattern().nnz())) {}

  bool factor(const JacobianValues& jacobian) override {
    const CscPattern& p = system_.pattern();
    const auto differential = states();
    for (std::size_t j = 0; j < differential.size(); ++j) {
      const std::vector<double>& part = differential[j] ? jacobian.df_dxdot : jacobian.df_dx;
      const auto end = static_cast<std::size_t>(p.column_start[j + 1]);
      // Unknowns in their own units: what is small must not look dependent.
      const double unit = system_.nominal(static_cast<std::uint32_t>(j));
      for (auto s = static_cast<std::size_t>(p.column_start[j]); s < end; ++s) {
        values_[s] = part[s] * unit;
      }
    }
    if (!solver_.factor(values_)) {
      singular_ = solver_.singular_column();
      return false;
    }
    // A matrix this close to singular determines nothing to any digit.
    constexpr double worthless = 4 * std::numeric_limits<double>::epsilon();
    singular_ = -1;
    reciprocal_condition_ = solver_.reciprocal_condition();
    return reciprocal_condition_ > worthless;
  }

  bool is_doubtful() override { return reciprocal_condition_ < 1e-11; }

  void solve(std::span<double> w) override {
    solver_.solve(w);
    for (std::size_t j = 0; j < w.size(); ++j)
      w[j] *= system_.nominal(static_cast<std::uint32_t>(j));
  }

  void split(std::span<const double> w, std::span<double> x_part,
             std::span<double> xdot_part) const override {
    const auto differential = states();
    for (std::size_t j = 0; j < w.size(); ++j) {
      x_part[j] = differential[j] ? 0.0 : w[j];
      xdot_part[j] = differential[j] ? w[j] : 0.0;
    }
  }

  std::string describe_singularity(const System& system) const override {
    if (singular_ < 0) return "the matrix is singular to working precision";
    const auto j = static_cast<std::uint32_t>(singular_);
    const std::string name = system.unknown_name(j);
    return (states()[j] ? "the derivative of '" + name + "'" : "'" + name + "'") +
           " is not determined by the equations";
  }

 private:
  std::span<const std::uint8_t> states() const {
    return choice_ != nullptr ? choice_->chosen() : system_.carries_derivative();
  }

  const System& system_;
  const ChosenStates* choice_;
  LinearSolver<double> solver_;
  std::vector<double> values_;
  index_t singular_ = -1;
  double reciprocal_condition_ = 0.0;
};

}  // namespace

std::unique_ptr<StartMatrix> make_selecting_matrix(const System& system, Workspace& workspace) {
  return std::make_unique<SelectingMatrix>(system, workspace);
}

}  // namespace saltus::detail
