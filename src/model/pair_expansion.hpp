// Diodes, switches and thyristors as modes: every combination of their states is one, beside the modes that
// are declared.
//
// In a state a pair has its equation (voltage == 0 or current == 0), what the state requires, and a transition
// for each requirement, taken where it does not hold. All of these lead to the same candidates, every mode
// that the states allow: first those in which the pair changes, and of these those with the fewest changes.
//
// Where equations of the pairs depend on each other (a source behind four diodes that block floats; diodes in
// parallel that conduct share a current) the limit is taken of equal small conductances of all that block and
// equal small resistances of all that conduct. With current = g voltage the combination sum n_k current_k = 0,
// which says nothing for g = 0, says sum n_k voltage_k = 0 for every g > 0: that is written in place of
// one of the equations, and g itself is gone. The same for requirements: a diode in series with others that
// block has no current, and whether what leaks through it is negative is said by their voltages.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <saltus/model/definition.hpp>

#include "model/linear_forms.hpp"

namespace saltus::detail {

/// Of more modes than this the lists of candidates alone would take more memory than a simulation does.
inline constexpr std::size_t most_modes_of_pairs = 1024;
inline constexpr std::size_t most_pairs = 12;

class PairExpansion {
 public:
  PairExpansion(ModelDefinition& model, Graph& graph);
  void operator()();

 private:
  enum class State : std::uint8_t { off, on, latched };
  using States = std::vector<State>;  // one per pair

  /// One of the modes that are made.
  struct Made {
    std::size_t declared = 0;  // the mode of the user it is part of
    States states;
    std::uint32_t n_idle = 0;  // pairs whose state is only told by what leaks
  };
  /// What pairs add to a mode.
  struct Rows {
    std::vector<Equation> equations;
    /// What must not be negative (on) or positive (off), per pair; none: it is zero in any case.
    std::vector<NodeId> watched;
    std::uint32_t n_idle = 0;
  };

  static bool conducts(State state) { return state != State::off; }
  NodeId zero_of(std::size_t pair, State state) const;     // what is zero in this state
  NodeId partner_of(std::size_t pair, State state) const;  // what is not
  const LinearForm& form(NodeId node);
  void check_size() const;
  void check_count(std::size_t declared) const;
  bool next(States& states) const;
  /// Without the equation of that number, if one is given.
  RowSpace rows_of(std::size_t declared, std::size_t without = none) const;
  void check_switches();
  std::vector<std::string> contradicted(std::size_t declared, const States& states);
  std::optional<Rows> rows_in(const RowSpace& given, const States& states);
  NodeId combined(const RowSpace::Combination& factors, const States& states);
  Equation equation_of(std::string name, NodeId left);
  std::string text(std::size_t pair, State state) const;
  std::vector<std::string> parts_of(const Made& mode) const;

  void make_modes();
  void add_mode(Made mode, Rows rows);
  void require(std::size_t pair, State state, NodeId watched);
  void leave(std::size_t pair, const std::string& name, Literal requirement);
  void copy_declared(std::size_t declared);

  bool allows(const States& from, const States& to) const;
  /// In what order candidates are tried.
  struct Rank {
    std::uint32_t n_turned_off = 0;  // thyristors
    bool keeps_leaving = false;      // the pair that cannot go on
    std::uint32_t n_changes = 0;     // one more if some pair is idle
    std::uint32_t n_idle = 0;        // within a group
    friend auto operator<=>(const Rank&, const Rank&) = default;
    bool is_grouped_with(const Rank& other) const {
      return n_turned_off == other.n_turned_off && keeps_leaving == other.keeps_leaving &&
             n_changes == other.n_changes;
    }
  };
  /// `leaving` is the pair that cannot go on, or none.
  Rank rank(const States& from, std::size_t leaving, ModeId mode) const;
  void sort_into_groups(std::vector<ModeId>& candidates, const States& from, std::size_t leaving,
                        std::vector<std::uint32_t>& group_ends) const;
  void fill_candidates();
  void choose_first_modes();

  ModelDefinition& m_;
  Graph& g_;
  std::vector<Mode> declared_;
  std::vector<Equation> declared_equations_;
  std::vector<Transition> declared_transitions_;
  ModeId declared_first_ = 0;
  std::map<NodeId, LinearForm> forms_;
  std::vector<Made> made_;
  std::map<std::size_t, std::size_t> pair_of_transition_;
  /// Modes of which no combination of values can be a solution, for the message if all are.
  std::vector<std::string> impossible_;
};

}  // namespace saltus::detail
