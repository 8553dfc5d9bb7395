// What the checks of check_system share: the system, points to look at, and a list to complain to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include <saltus/system/contract.hpp>
#include <saltus/system/switching.hpp>
#include <saltus/system/system.hpp>

namespace saltus::detail {

/// Sentences, each once however many points show it; of one kind the first few.
class Findings {
 public:
  /// `subject` tells findings of a kind apart: an equation, an entry.
  void add(const std::string& kind, const std::string& subject, std::string sentence);
  bool empty() const { return sentences_.empty(); }
  std::vector<std::string> take();

 private:
  static constexpr int most_of_a_kind_ = 10;
  std::vector<std::string> sentences_;
  std::set<std::string> subjects_;
  std::map<std::string, int> count_;
};

struct TrialPoint {
  int number = 0;
  std::vector<double> x;
  std::vector<double> xdot;
};

struct Trial {
  const System& system;
  const SystemCheckOptions& options;
  Findings findings = {};
  std::unique_ptr<Workspace> workspace = {};
  std::unique_ptr<Workspace> other_workspace = {};
  std::vector<TrialPoint> points = {};  // the residual can be evaluated there

  std::size_t size() const { return system.size(); }
  double t() const { return options.t; }
  std::string equation(std::size_t row) const;    // equation 'a'
  std::string unknown(std::size_t column) const;  // 'x'
  /// " (seed 1, point 3)": how to see it again.
  std::string where(const TrialPoint& point) const;
  /// What an evaluation reported, in words; names the row if there is one.
  std::string trouble(Evaluation evaluation) const;
};

/// A typical magnitude of an unknown, or of its derivative, at a point.
double magnitude_at(const Trial& trial, std::span<const double> values, std::size_t unknown);

/// Sizes, names, pattern, start values, list of variables. False: evaluating makes no sense.
bool check_description(Trial& trial);
/// Fills `points`; a finding if there is none.
void choose_points(Trial& trial);
/// Finite, repeatable, independent of the old output and of other workspaces.
void check_values(Trial& trial);
/// Jacobian, pattern and flags against differences of the residual.
void check_derivatives(Trial& trial);
/// x' of the explicit form solves the residual.
void check_explicit_form(Trial& trial);
/// A variable that is an unknown has its value.
void check_variable_values(Trial& trial);
/// Names, values, rates and gradients of switching functions.
void check_switching(Trial& trial);
/// Locks are set, read and decided; the same locks give the same system.
void check_locks(Trial& trial);
/// Hulls and series along a step contain samples.
void check_enclosures(Trial& trial);

/// switch 'x > 0'
std::string switch_text(const SwitchingFunctions& functions, std::size_t which);
/// Locks the relations as they are at a point, or tells them to a system without locks. False if some
/// cannot be decided.
bool enter_side(const Trial& trial, Workspace& workspace, const TrialPoint& point);

}  // namespace saltus::detail
