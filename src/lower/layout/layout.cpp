#include "lower/layout/layout.hpp"

#include <algorithm>

#include <saltus/core/error.hpp>

namespace saltus::detail {

void append_input(InputSegment& segment, const Input& in) {
  if (!segment.empty()) {
    InputRange& last = segment.back();
    if (last.kind == in.kind && last.order == in.order && last.first + last.count == in.index) {
      ++last.count;
      return;
    }
  }
  segment.push_back({in.kind, in.index, 1, in.order});
}

Layout Layout::of_rows(const ModelDefinition& model, const Graph& g, std::span<const NodeId> rows,
                       std::span<const Input> own) {
  const std::uint32_t n_states = g.count(InputKind::state);
  std::vector<std::uint32_t> highest(n_states + g.count(InputKind::algebraic), 0);
  const Incidence occurrences = incidence(g, rows);
  for (const Input& in : occurrences.inputs) {
    if (in.kind != InputKind::state && in.kind != InputKind::algebraic) continue;
    std::uint32_t& order = highest[in.kind == InputKind::state ? in.index : n_states + in.index];
    order = std::max(order, in.order);
  }
  std::vector<std::uint8_t> goes_on;
  for (std::uint32_t& order : highest) {
    goes_on.push_back(order > 0 ? 1 : 0);
    order = std::max(order, 1U);
  }
  for (const Input& in : own) {
    const std::uint32_t i = in.kind == InputKind::state ? in.index : n_states + in.index;
    highest[i] = in.order + 1;
    goes_on[i] = 0;
  }
  return {model, g, highest, goes_on};
}

Layout Layout::of_orders(const ModelDefinition& model, const Graph& g,
                         std::span<const std::uint32_t> highest) {
  std::vector<std::uint32_t> n_taken;
  for (const std::uint32_t order : highest) n_taken.push_back(order + 1);
  return {model, g, n_taken, std::vector<std::uint8_t>(highest.size(), 0)};
}

Layout::Layout(const ModelDefinition& model, const Graph& g, std::span<const std::uint32_t> n_taken,
               std::span<const std::uint8_t> goes_on) {
  const std::uint32_t n_states = g.count(InputKind::state);
  n_variables_ = static_cast<std::uint32_t>(n_taken.size());
  for (std::uint32_t i = 0; i < n_variables_; ++i) {
    const bool is_state = i < n_states;
    Input in{is_state ? InputKind::state : InputKind::algebraic, is_state ? i : i - n_states, 0};
    unknowns_.push_back({in, {in.kind, in.index, 1}, none, n_taken[i] > 1 || goes_on[i]});
  }
  for (std::uint32_t i = 0; i < n_variables_; ++i) {
    std::uint32_t last = i;
    for (std::uint32_t order = 1; order < n_taken[i]; ++order) {
      const std::uint32_t next = size();
      Input in = unknowns_[i].input;
      in.order = order;
      const bool carries = order + 1 < n_taken[i] || goes_on[i];
      unknowns_.push_back({in, {in.kind, in.index, order + 1}, none, carries});
      unknowns_[last].successor = next;
      // The derivative of an unknown with a successor is read as that successor, never from x': its
      // place there is taken by a derivative that no expression contains.
      unknowns_[last].derivative.order = n_taken[i] + order;
      last = next;
    }
  }
  add_signals(model, g);
}

void Layout::add_signals(const ModelDefinition& model, const Graph& g) {
  for (std::size_t id = 0; id < g.n_inputs(); ++id) {
    const Input& in = g.input(static_cast<InputId>(id));
    if (in.kind != InputKind::signal) continue;
    const int available = model.signal(in.index).max_order();
    if (static_cast<int>(in.order) > available)
      throw ModelError("input '" + g.variable_name(in.kind, in.index) + "'",
                       "is used with derivatives up to order " + std::to_string(in.order) +
                           ", but its signal has " + std::to_string(available));
    signal_values_.push_back({in.index, in.order});
  }
}

std::uint32_t Layout::unknown_of(const Graph& g, const Input& in) const {
  std::uint32_t i = in.kind == InputKind::state ? in.index : g.count(InputKind::state) + in.index;
  for (std::uint32_t order = 0; order < in.order && i != none; ++order) i = unknowns_[i].successor;
  return i;
}

InputSegment Layout::x_segment() const {
  InputSegment segment;
  for (const Unknown& u : unknowns_) append_input(segment, u.input);
  return segment;
}

InputSegment Layout::xdot_segment() const {
  InputSegment segment;
  for (const Unknown& u : unknowns_) append_input(segment, u.derivative);
  return segment;
}

std::vector<InputSegment> Layout::segments(const Graph& g) const {
  InputSegment signals_segment;
  for (const SignalValue& s : signal_values_) {
    append_input(signals_segment, {InputKind::signal, s.signal, s.order});
  }
  return {{{InputKind::time, 0, 1, 0}},
          x_segment(),
          xdot_segment(),
          std::move(signals_segment),
          {{InputKind::parameter, 0, g.count(InputKind::parameter), 0}},
          {{InputKind::discrete, 0, g.count(InputKind::discrete), 0}},
          {{InputKind::previous, 0, g.count(InputKind::previous), 0}}};
}

}  // namespace saltus::detail
