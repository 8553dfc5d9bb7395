#include "slide/dae/sliding_layout.hpp"

namespace saltus::detail {

namespace {

/// Collects triplets; slots are known once all are there.
struct TripletList {
  std::vector<index_t> rows, columns;
  std::size_t add(std::uint32_t row, std::uint32_t column) {
    rows.push_back(static_cast<index_t>(row));
    columns.push_back(static_cast<index_t>(column));
    return rows.size() - 1;
  }
};

/// Calls take(column, slot) for the entries of a row.
template <class Take>
void for_row(const CscPattern& p, std::uint32_t row, Take&& take) {
  for (std::uint32_t j = 0; j < static_cast<std::uint32_t>(p.n_cols); ++j) {
    const auto end = static_cast<std::uint32_t>(p.column_start[j + 1]);
    for (auto s = static_cast<std::uint32_t>(p.column_start[j]); s < end; ++s) {
      if (static_cast<std::uint32_t>(p.row[s]) == row) take(j, s);
    }
  }
}

}  // namespace

MixedLayout::MixedLayout(const System& base, const SlidingSides& sides, SlidingForm form,
                         MotionClosure motions, std::span<const std::uint32_t> derivative_unknown)
    : n(base.size()),
      z(sides.n_surfaces()),
      hidden(form != SlidingForm::blended),
      has_copies(form == SlidingForm::copies),
      closure(std::move(motions)),
      motion(derivative_unknown.begin(), derivative_unknown.end()) {
  motion.resize(n, none);
  for (std::uint32_t i = 0; i < n_motions(); ++i) motion[closure.unknown[i]] = q(i);
  TripletList list;
  const CscPattern& b = base.pattern();
  for (std::uint32_t j = 0; j < n; ++j) {
    if (has_copies) mixed.push_back(list.add(j, j));
    const auto end = static_cast<std::size_t>(b.column_start[j + 1]);
    for (auto s = static_cast<std::size_t>(b.column_start[j]); s < end && !has_copies; ++s) {
      mixed.push_back(list.add(static_cast<std::uint32_t>(b.row[s]), j));
    }
  }
  for (std::uint32_t vertex = 0; has_copies && vertex < sides.n_vertices(); ++vertex) {
    for (std::uint32_t j = 0; j < n; ++j) {
      mean.push_back(list.add(j, block(vertex) + j));
      const auto end = static_cast<std::size_t>(b.column_start[j + 1]);
      for (auto s = static_cast<std::size_t>(b.column_start[j]); s < end; ++s) {
        const std::uint32_t row = block(vertex) + static_cast<std::uint32_t>(b.row[s]);
        in_x.push_back(list.add(row, j));
        in_block.push_back(list.add(row, block(vertex) + j));
      }
    }
  }
  for (std::uint32_t k = 0; k < z; ++k) {
    for (std::uint32_t i = 0; i < n; ++i) {
      by_u.push_back(list.add(i, u(k)));
      if (hidden) by_p.push_back(list.add(i, p(k)));
    }
  }
  const auto add_term = [&](MotionRow& row, std::uint32_t j, std::uint32_t slot) {
    Term term{.unknown = j, .source = slot, .at_unknown = 0, .at_motion = none};
    if (hidden) {
      term.at_unknown = list.add(row.row, j);
      if (motion[j] != none) term.at_motion = list.add(row.row, motion[j]);
    }
    row.terms.push_back(term);
  };
  const auto finish = [&](MotionRow& row) {
    for (std::uint32_t l = 0; hidden && l < z; ++l) row.at_p.push_back(list.add(row.row, p(l)));
  };
  for (std::uint32_t k = 0; k < z; ++k) {
    MotionRow& row = surfaces.emplace_back(MotionRow{.row = n + z + k, .terms = {}, .at_p = {}});
    for_row(sides.functions().gradient_pattern(), sides.first_switch(k),
            [&](std::uint32_t j, std::uint32_t s) {
              add_term(row, j, s);
              row.terms.back().of_g = list.add(n + k, j);
            });
    finish(row);
  }
  for (std::uint32_t i = 0; i < n_motions(); ++i) {
    MotionRow& row = equations.emplace_back(MotionRow{.row = q(i), .terms = {}, .at_p = {}});
    for_row(b, closure.equation[i], [&](std::uint32_t j, std::uint32_t s) { add_term(row, j, s); });
    finish(row);
  }

  CscAssembly all =
      assemble(static_cast<index_t>(size()), static_cast<index_t>(size()), list.rows, list.columns);
  const auto resolve = [&](std::size_t& slot) { slot = static_cast<std::size_t>(all.slot[slot]); };
  for (auto* slots : {&mixed, &mean, &in_x, &in_block, &by_u, &by_p}) {
    for (std::size_t& slot : *slots) resolve(slot);
  }
  for (auto* rows : {&surfaces, &equations}) {
    for (MotionRow& row : *rows) {
      for (std::size_t& slot : row.at_p) resolve(slot);
      for (Term& term : row.terms) {
        if (hidden) resolve(term.at_unknown);
        if (term.at_motion != none) resolve(term.at_motion);
        if (rows == &surfaces) resolve(term.of_g);
      }
    }
  }
  pattern = std::move(all.pattern);
}

}  // namespace saltus::detail
