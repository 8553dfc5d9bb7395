// Evaluation of a reduced system.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <saltus/system/abilities.hpp>
#include <saltus/system/monitoring.hpp>
#include <saltus/system/system.hpp>
#include <saltus/system/handing.hpp>

#include "reduce/fixed_rank_inverse.hpp"
#include "reduce/forwarded_switching.hpp"
#include "reduce/reduced_system.hpp"
#include "reduce/scaled_array.hpp"

namespace saltus::detail {

/// The same unknowns in the same order.
struct ReducedHanding {
  using HandsOn = AbilityList<ScheduledTimes, HeldValues, SwitchingFunctions, StepEnclosure,
                              EventActions, OutputDirections>;
  using Transforms = AbilityList<Locks>;
  using Adds = AbilityList<StepRefresh, OutputProjection, RedundancyWatch, Regularity>;
  /// Explicit forms and their projections, derivatives of the residual and what belongs to them are those of other equations.
  /// Contacts keep their gaps themselves, and refuse constraints beside them. Tangents are for motion on surfaces, which is
  /// refused here. What is asked before a reduction (initial equations, inputs, outputs) is asked of the system below.
  using EndsHere = AbilityList<ExplicitForm, StepProjection, ChosenStates, DerivativeUnknowns,
                               IncidenceOrders, DerivativeLevels<double>, DerivativeLevels<Quad>,
                               ParameterDerivatives, InputDerivatives, OutputDerivatives,
                               DriftCorrection, InitialEquations, SwitchingTangents>;
};
static_assert(decides_every_ability<ReducedHanding>);

/// Holds what a reduced system freezes between refreshes: the projectors, the pseudo-inverse for the
/// inner iteration, and the higher derivatives y it converged to last.
class ReducedWorkspace final : public Workspace,
                               public StepRefresh,
                               public OutputProjection,
                               public RedundancyWatch,
                               public Regularity {
 public:
  explicit ReducedWorkspace(const ReducedSystem& system);

  Evaluation residual(double t, std::span<const double> x, std::span<const double> xdot,
                      std::span<double> f) override;
  Evaluation jacobian(double t, std::span<const double> x, std::span<const double> xdot,
                      std::span<double> df_dx, std::span<double> df_dxdot) override;

  Answer step_accepted(double t, std::span<const double> x, std::span<const double> xdot) override;
  Failure stop_reason() const override;
  const Contradiction& largest_contradiction() const override { return largest_; }
  /// The product of the volumes of M, (I - M M^+) N and E T2, free of bases.
  bool is_signed() const override { return false; }
  Evaluation determinant(double t, std::span<const double> x, std::span<const double> xdot,
                         SignedLogarithm& value) override;
  std::string describe_loss(double t, std::span<const double> x,
                            std::span<const double> xdot) override;

  Evaluation project(double t, std::span<double> x, std::span<double> xdot, double& moved) override;
  /// The time of the higher derivatives, and they.
  std::vector<double> search_start() const override;
  bool begin_step(double t, std::span<const double> x, std::span<const double> xdot,
                  std::span<const double> search_start) override;

  Workspace& raw() { return *raw_; }

 private:
  using Matrix = Eigen::MatrixXd;
  using Vector = Eigen::VectorXd;

  /// What iterations at a point use, and may go on using nearby.
  struct Inverses {
    FixedRankInverse m;  // of M
    Matrix correction;   // n x a: the smallest change of x, in nominal units, for a change of R2
    bool has_correction = false;
  };
  enum class Precision : std::uint8_t { converged, exact };

  // ---- the array at a point (reduced_workspace.cpp) ------------------------------------------------
  Evaluation evaluate_array(double t, std::span<const double> x);
  Evaluation linearize(double t, std::span<const double> x);
  ArrayBlocks blocks() const {
    return blocks_of(matrix_, array_.n_equations(), array_.n_unknowns());
  }
  auto y() { return xi_.tail(xi_.size() - n_); }
  Eigen::Map<const Vector> phi() const {
    return {phi_.data(), static_cast<Eigen::Index>(phi_.size())};
  }

  // ---- the inner iteration ---------------------------------------------------------------------------
  Evaluation find_higher(double t, std::span<const double> x, Precision precision);
  bool iterate(double t, std::span<const double> x, bool& out_of_domain);
  void shift_to(double t);
  Evaluation renew_inverse(double t, std::span<const double> x);
  /// dR2/dx where the array was linearised last, scaled columns; exact on the solution set.
  void write_constraint_jacobian();
  void write_correction();
  Evaluation move_onto_constraints(double t, std::span<double> x, double& moved);

  // ---- after a step (reduced_refresh.cpp) ------------------------------------------------------------
  bool contradicts(double t, std::span<const double> x);
  double left_over(std::span<const double> x);
  bool has_turned();
  bool undetermined_has_turned() const;
  /// Decomposes PN and E T2 where the array was linearised and its inverse computed last.
  void decompose_here();
  SignedLogarithm determinant_here() const;
  void refresh(std::span<const double> x);
  /// After locks have changed: all that is frozen is that of other equations.
  void follow_locks(double t, std::span<const double> x);

  const ReducedSystem& system_;
  const ArrayScaling& scaling_;
  std::unique_ptr<Workspace> raw_;
  int level_;
  Eigen::Index n_, m_;
  ScaledArray<double> array_;
  ArrayCoefficients<double> coefficients_;
  DenseMatrix<double> matrix_;
  FrozenForm form_;
  Inverses frozen_, local_;  // of the engine; of a point on its way to the user
  Inverses* inverses_ = &frozen_;
  Vector x_reference_, nominal_, unit_, row_unit_;

  Vector xi_, y_good_, y_before_projection_;  // xi: x_0 and y, scaled
  double t_y_ = 0.0, t_good_ = 0.0;
  std::vector<double> phi_, f_raw_, a_raw_, b_raw_;
  Vector step_, f_scaled_, r2_, change_;
  Matrix scaled_transposed_, correction_rhs_, correction_q_;
  Eigen::HouseholderQR<Matrix> qr_of_correction_;
  Matrix z2_m_, m_plus_n_, by_constraints_, of_x_, of_xdot_;
  int steps_since_look_ = 0;
  bool slow_ = false;  // the inner iteration needed a new inverse since the last look

  Vector left_over_, tolerance_;
  std::vector<double> x_probe_;
  Contradiction largest_;
  double agreed_until_ = 0.0;
  bool forced_refresh_ = false;

  // At the last look: M as a column-major copy, (I - M M^+) N, the complement of its rows, and E on it.
  Matrix m_copy_, projected_n_, t2_, e_t2_;
  Matrix cosines_n_, rest_n_, cosines_e_, rest_e_;  // of frozen bases in the present spaces
  Eigen::RowVectorXd work_;
  FixedRankInverse of_n_, of_e_;
  Eigen::HouseholderQR<Matrix> complement_;
  SignedLogarithm at_accepted_;
  double t_accepted_;

  std::optional<NoticedLocks> locks_;
  bool locks_have_changed_ = false;
  std::vector<std::uint8_t> branches_, branches_now_;
};

}  // namespace saltus::detail
