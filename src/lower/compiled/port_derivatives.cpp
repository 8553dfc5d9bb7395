#include "lower/compiled/port_derivatives.hpp"

#include <algorithm>
#include <cmath>

#include "lower/compiled/compiled_system.hpp"

namespace saltus::detail {

void PortProgram::prepare(const CompiledSystem& system, std::span<const NodeId> rows,
                          std::span<const Layout::Argument> columns, std::uint32_t n_more_rows,
                          const EvaluatorAccess& access) {
  // On a copy, which keeps the model immutable.
  const std::unique_ptr<Graph> g = system.model().graph().thaw();
  const std::vector<InputSegment> segments = system.layout().segments(*g);
  InputSegment wanted;
  for (const Layout::Argument argument : columns) {
    wanted.insert(wanted.end(), segments[argument].begin(), segments[argument].end());
  }
  const Jacobian derivatives = saltus::jacobian(*g, rows, wanted);
  pattern_ = derivatives.pattern;
  pattern_.n_rows += static_cast<index_t>(n_more_rows);
  evaluator_.emplace(access.make(compile(*g, derivatives.entries, segments)));
}

Evaluation PortProgram::evaluate(const EvaluatorAccess& access, double t, std::span<const double> x,
                                 std::span<const double> xdot, std::span<double> values) {
  access.run(*evaluator_, t, x, xdot);
  const std::span<const double> computed = evaluator_->evaluator.outputs();
  std::fill(std::copy(computed.begin(), computed.end(), values.begin()), values.end(), 0.0);
  for (std::size_t s = 0; s < values.size(); ++s) {
    if (!std::isfinite(values[s])) {
      return Evaluation::out_of_domain(static_cast<std::uint32_t>(pattern_.row[s]));
    }
  }
  return Evaluation::ok();
}

CompiledInputDerivatives::CompiledInputDerivatives(const CompiledSystem& system,
                                                   EvaluatorAccess access)
    : system_(system), access_(std::move(access)) {
  for (const Layout::SignalValue& s : system.layout().signal_values()) {
    std::string name = system.model().graph().variable_name(InputKind::signal, s.signal);
    for (std::uint32_t order = 0; order < s.order; ++order) name = "der(" + name + ")";
    inputs_.push_back(std::move(name));
  }
}

PortProgram& CompiledInputDerivatives::prepared() const {
  if (!program_.ready()) {
    std::vector<NodeId> rows;
    for (const Equation& q : system_.model().equations()) rows.push_back(q.residual);
    const Layout::Argument columns[] = {Layout::signals};
    // The equations that tie derivatives to their successors contain no input.
    program_.prepare(system_, rows, columns, system_.n_equations() - system_.n_model_rows(),
                     access_);
  }
  return program_;
}

Evaluation CompiledInputDerivatives::evaluate(double t, std::span<const double> x,
                                              std::span<const double> xdot,
                                              std::span<double> df_du) {
  return prepared().evaluate(access_, t, x, xdot, df_du);
}

CompiledOutputDerivatives::CompiledOutputDerivatives(const CompiledSystem& system,
                                                     EvaluatorAccess access)
    : system_(system), access_(std::move(access)) {
  for (const NamedExpression& o : system.model().outputs()) {
    for (std::uint32_t j = 0; j < o.count; ++j) {
      outputs_.push_back(o.is_array ? o.name + "[" + std::to_string(j) + "]" : o.name);
    }
  }
}

PortProgram& CompiledOutputDerivatives::prepared() const {
  if (!program_.ready()) {
    std::vector<NodeId> rows;
    for (const NamedExpression& o : system_.model().outputs()) rows.push_back(o.node);
    const Layout::Argument columns[] = {Layout::x, Layout::xdot, Layout::signals};
    program_.prepare(system_, rows, columns, 0, access_);
  }
  return program_;
}

Evaluation CompiledOutputDerivatives::evaluate(double t, std::span<const double> x,
                                               std::span<const double> xdot, std::span<double> dy) {
  return prepared().evaluate(access_, t, x, xdot, dy);
}

}  // namespace saltus::detail
