// What the contacts of a model do at an event.
//
// Forces act linearly: the equations of motion without (C.1) give x' = x'_0 + S p, and with the gradients A of the
// contacts' velocities their accelerations
//
//   a = A x' + ... = W p + f,   W = A S.                                                             (C.2)
//
// The same S takes impulses to jumps of x. At an event first impulses are found if a contact that touches
// approaches, then forces with the velocities after it (contact/solve.hpp), and with them the
// equations (C.1) that hold from there on.
#pragma once

#include <limits>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <saltus/contact/solve.hpp>
#include <saltus/expr/evaluator.hpp>
#include <saltus/numerics/linear_solver.hpp>
#include <saltus/numerics/matrix.hpp>

#include "lower/contact_plan.hpp"
#include "lower/lock_board.hpp"

namespace saltus::detail {

class CompiledWorkspace;

class CompiledContacts {
 public:
  CompiledContacts(const ContactPlan& plan, CompiledWorkspace& workspace);

  /// What an event is about, per contact.
  struct Asked {
    std::vector<std::uint8_t> touches;    // its gap has just closed
    std::vector<std::uint8_t> separates;  // its force has just become zero
    std::vector<std::int8_t>
        gives_way;                    // its friction is exhausted: the direction it slips in, or 0
    std::vector<std::uint8_t> stops;  // its slip velocity has just become zero
    std::uint32_t rest_of = none;     // impacts of this contact have accumulated
  };
  /// Sets x and the discrete variables of the contacts. What cannot be decided is said in words.
  std::optional<std::string> decide(Asked asked, double t, std::span<double> x,
                                    std::span<double> discrete);
  /// What the last decision did beyond collisions and forces: empty, or in words.
  const std::string& remark() const { return remark_; }

  /// Gaps, their rates and slip velocities, with what else the laws need.
  std::vector<double> watched(double t, std::span<const double> x, std::span<const double> xdot);
  /// Watched before an instant, whose time may be off by `time_error`; nothing at the beginning of a run.
  void compare_with(std::span<const double> watched, double time_error) {
    before_.assign(watched.begin(), watched.end());
    time_error_ = time_error;
  }
  /// What has jumped since so that it is to be decided anew; empty: nothing has.
  std::string jumped(double t, std::span<const double> x, std::span<const double> xdot,
                     std::span<const double> discrete);

  /// How far gaps that are held closed, and velocities that are held at zero, have drifted: the largest, in what it would
  /// be if unknowns were off by their tolerances.
  double drift(double t, std::span<const double> x, std::span<const double> xdot,
               std::span<const double> discrete, std::span<const double> tolerance);
  /// Positions, then velocities, go the way on which impulses would send them. False if there is no such way.
  bool put_back(double t, std::span<const double> discrete, std::span<double> x);

 private:
  /// Everything at one point. Rows are those of (C.1).
  struct Motion {
    std::vector<double> values;               // ContactPlan::Value of each contact
    std::vector<double> scales;               // of what it keeps (ContactPlan::Kept), see small()
    std::vector<double> free;                 // accelerations without forces
    std::vector<std::vector<double>> effect;  // S, column by column, in unknowns
    Matrix response;                          // W
  };
  /// By how much the values of a contact have jumped at an instant; 0 for what the error of its time explains.
  struct Jump {
    double gap = 0.0, rate = 0.0, slip = 0.0;
  };
  Jump jump_of(const Motion& motion, std::uint32_t contact) const;
  /// What of it matters to a contact as it is: in words, or empty.
  std::string felt(const Motion& motion, std::uint32_t contact, const Jump& jump,
                   std::span<const double> discrete) const;
  std::string jump_text(const Motion& motion, std::uint32_t contact,
                        ContactPlan::Value which) const;
  std::optional<std::string> check_overlap(const Motion& motion, std::span<const Jump> jumps) const;
  /// Contacts that are closed, and how fast each slips.
  struct Closed {
    std::vector<std::uint32_t> contacts;
    std::vector<double> slip;
  };
  Closed still_closed(std::span<const std::uint32_t> contacts, const ContactSolution& impulses,
                      double fastest) const;
  void strike(const Motion& motion, std::span<const std::uint32_t> contacts,
              const ContactSolution& impulses, std::span<double> x) const;
  std::vector<double> free_of(std::span<const std::uint32_t> contacts, const Motion& motion) const;
  Result<ContactSolution> forces_of(double t, const Asked& asked, Motion& motion, Closed& closed,
                                    std::span<double> x);
  std::optional<std::string> check_finite(const Motion& motion,
                                          std::span<const double> gradient) const;
  std::optional<std::string> evaluate(double t, std::span<const double> x, Motion& motion);
  std::optional<std::string> check_start(const Motion& motion) const;
  std::optional<std::string> check_coefficients(const Motion& motion, std::uint32_t contact,
                                                double slips_by) const;
  std::optional<std::string> check_directions(const Motion& motion,
                                              std::span<const std::uint32_t> touching) const;
  double value(const Motion& m, std::uint32_t contact, ContactPlan::Value which) const {
    return m.values[contact * ContactPlan::n_values + which];
  }
  /// Gaps, or velocities, below this are zero: contacts that come so near touch at the same instant. 1e-9 of the change
  /// that one of the unknowns makes by its nominal value.
  static double small(const Motion& m, std::uint32_t contact, ContactPlan::Kept which) {
    constexpr double part = 1e-9;
    return part * m.scales[contact * ContactPlan::n_kept + which];
  }
  /// What is zero may be evaluated to this.
  static double least_slack(const Motion& m, std::uint32_t contact, ContactPlan::Kept which) {
    constexpr double part_of_small = 1e-3;
    return part_of_small * small(m, contact, which);
  }
  /// Per contact and Kept: |d/dx_i| size_i at a point, the largest or their sum.
  enum class Over : std::uint8_t { largest, sum };
  std::vector<double> kept_sizes(double t, std::span<const double> x, std::span<const double> xdot,
                                 std::span<const double> size, Over over);
  /// Contacts whose normal, or slip, velocity has come to an end because events accumulate.
  struct Resting {
    std::vector<std::uint8_t> normal, slip;
  };
  Resting resting_of(const Asked& asked, double t, const Motion& motion,
                     std::span<const double> discrete);
  double hop_time(const Motion& motion, std::uint32_t contact) const;
  std::vector<std::uint8_t> coupled_with(std::uint32_t contact,
                                         std::span<const std::uint8_t> pushes,
                                         const Motion& motion) const;
  std::vector<std::uint32_t> touching(const Asked& asked, const Resting& resting,
                                      const Motion& motion, std::span<const Jump> jumps,
                                      std::span<const double> discrete) const;
  std::vector<ContactLaw> laws_of(std::span<const std::uint32_t> contacts, const Motion& motion,
                                  const Asked& asked) const;
  Matrix response_of(std::span<const std::uint32_t> contacts, const Motion& motion) const;
  /// Of row j of a contact problem with these contacts; none if it is no row of (C.1).
  std::uint32_t row_of(std::span<const std::uint32_t> contacts, std::size_t j) const;
  void apply(const Motion& motion, std::uint32_t row, double impulse, std::span<double> x) const;
  void leave_room(const Motion& motion, std::span<const double> earlier,
                  std::span<const std::optional<double>> sinks, std::span<double> discrete) const;
  double slowest_hop(const Asked& asked, const Motion& motion, std::span<const double> discrete,
                     std::uint32_t contact) const;
  bool push_over(std::span<const std::uint32_t> contacts, const Motion& motion, const Asked& asked,
                 const ContactSolution& holding, std::span<double> free) const;
  std::optional<std::vector<double>> held_back(const Motion& motion,
                                               std::span<const double> discrete,
                                               std::span<const std::uint32_t> further,
                                               std::span<const double> velocity) const;
  std::optional<std::string> close_gaps(double t, const Motion& motion,
                                        std::span<const double> discrete, std::span<double> x);
  void tell_of_choice(std::span<const std::uint32_t> contacts, const ContactSolution& forces);
  void write(std::span<const std::uint32_t> contacts, const ContactSolution& solution,
             std::span<double> discrete) const;
  void remove_remains(const Motion& motion, std::span<const double> discrete,
                      std::span<const std::uint32_t> from_rest, std::span<double> x) const;

  using Points = Locked<Evaluator<double>>;
  const ContactPlan& plan_;
  CompiledWorkspace& workspace_;
  Points values_, accelerations_, gradients_, kept_gradients_;
  LinearSolver<double> solver_;
  std::vector<double> changed_at_;  // when each contact was last part of an event
  std::string remark_;
  std::set<std::string> told_of_;  // contacts whose motion may not be the only one
  std::vector<double> before_;     // watched
  double time_error_ = 0.0;
  /// When a contact touched, or stopped slipping, the last two times.
  struct LastTimes {
    static constexpr double never = -std::numeric_limits<double>::infinity();
    double last = never, before = never;
    bool sticks = false;  // after the last touch
  };
  std::vector<LastTimes> touched_, stopped_;
  std::vector<double> xdot_, df_dx_, df_dxdot_, matrix_, residual_;
};

}  // namespace saltus::detail
