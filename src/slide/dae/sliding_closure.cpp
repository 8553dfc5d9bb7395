#include "slide/dae/sliding_closure.hpp"

#include <algorithm>

#include <saltus/core/text.hpp>

namespace saltus::detail {

namespace {

constexpr std::uint32_t no_partner = 0xffffffffU;

/// Equations without derivatives that are the same at all vertices, and their unknowns without motion.
class StillEquations {
 public:
  StillEquations(const System& base, SideEquations& equations,
                 std::span<const std::uint8_t> has_motion)
      : n_(base.size()),
        is_still_(n_, 1),
        entries_(n_),
        row_of_(n_, no_partner),
        unknown_of_(n_, no_partner) {
    const CscPattern& p = base.pattern();
    for (std::size_t i = 0; i < n_; ++i) {
      for (std::uint32_t b = 1; b < equations.n_vertices(); ++b) {
        if (equations.residual(b)[i] != equations.residual(0)[i]) is_still_[i] = 0;
      }
    }
    for (std::size_t j = 0; j < n_; ++j) {
      const auto end = static_cast<std::size_t>(p.column_start[j + 1]);
      for (auto s = static_cast<std::size_t>(p.column_start[j]); s < end; ++s) {
        look_at(static_cast<std::size_t>(p.row[s]), j, s, equations, has_motion[j] != 0);
      }
    }
  }

  std::span<const std::uint32_t> unknowns_of(std::uint32_t row) const { return entries_[row]; }
  std::uint32_t row_of(std::uint32_t unknown) const { return row_of_[unknown]; }

  /// Kuhn's algorithm: the unknown gets an equation, others may have to take another.
  bool match(std::uint32_t unknown) {
    tried_.assign(n_, 0);
    return augment(unknown);
  }

 private:
  void look_at(std::size_t row, std::size_t column, std::size_t slot, SideEquations& equations,
               bool moves) {
    for (std::uint32_t b = 0; b < equations.n_vertices(); ++b) {
      const bool differs = equations.df_dx(b)[slot] != equations.df_dx(0)[slot];
      if (differs || equations.df_dxdot(b)[slot] != 0.0) is_still_[row] = 0;
    }
    if (!moves && equations.df_dx(0)[slot] != 0.0) {
      entries_[row].push_back(static_cast<std::uint32_t>(column));
    }
  }

  bool augment(std::uint32_t unknown) {
    for (std::uint32_t row = 0; row < n_; ++row) {
      if (is_still_[row] == 0 || tried_[row] != 0) continue;
      const auto& has = entries_[row];
      if (std::find(has.begin(), has.end(), unknown) == has.end()) continue;
      tried_[row] = 1;
      if (unknown_of_[row] != no_partner && !augment(unknown_of_[row])) continue;
      unknown_of_[row] = unknown;
      row_of_[unknown] = row;
      return true;
    }
    return false;
  }

  std::size_t n_;
  std::vector<std::uint8_t> is_still_, tried_;
  std::vector<std::vector<std::uint32_t>> entries_;
  std::vector<std::uint32_t> row_of_, unknown_of_;
};

}  // namespace

Result<MotionClosure> motion_closure(const System& base, SideEquations& equations,
                                     std::span<const std::uint8_t> has_motion,
                                     std::span<const std::uint32_t> needed) {
  MotionClosure closure;
  StillEquations still(base, equations, has_motion);
  std::vector<std::uint8_t> is_needed(base.size(), 0);
  std::vector<std::uint32_t>& list = closure.unknown;
  const auto need = [&](std::uint32_t unknown) {
    if (is_needed[unknown] != 0 || has_motion[unknown] != 0) return;
    is_needed[unknown] = 1;
    list.push_back(unknown);
  };
  for (const std::uint32_t unknown : needed) need(unknown);
  // A partner may be taken away again, so that others become needed: until nothing changes.
  for (std::size_t before = 0; before != list.size();) {
    before = list.size();
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (still.row_of(list[i]) == no_partner && !still.match(list[i])) {
        return Failure{FailureCode::singular,
                       "a surface depends on " + quote(base.unknown_name(list[i])) +
                           ", whose motion does not follow from equations that both sides share"};
      }
    }
    for (std::size_t i = 0; i < before; ++i) {
      for (const std::uint32_t other : still.unknowns_of(still.row_of(list[i]))) need(other);
    }
  }
  for (const std::uint32_t unknown : list) closure.equation.push_back(still.row_of(unknown));
  return closure;
}

}  // namespace saltus::detail
