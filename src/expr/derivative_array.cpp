#include <saltus/expr/derivative_array.hpp>

#include <saltus/core/error.hpp>

namespace saltus {

DerivativeArrayProgram derivative_array_program(Graph& g, std::span<const NodeId> residual,
                                                const InputSegment& unknowns,
                                                const InputSegment& held, std::uint32_t max_order,
                                                const CompileOptions& options) {
  std::vector<InputSegment> segments{{InputRange{InputKind::time, 0, 1, 0}}, held};
  for (std::uint32_t q = 0; q <= max_order; ++q) {
    InputSegment segment = unknowns;
    for (InputRange& range : segment) range.order = q;
    segments.push_back(segment);
  }
  DerivativeArrayProgram out;
  out.max_order = max_order;
  for (const InputRange& range : unknowns) out.n_unknowns += range.count;
  const std::vector<Output> rows = outputs_in_order(g, residual);
  for (const Output& o : rows) out.n_rows += o.lanes;
  out.residual = compile(g, rows, segments, options);

  std::vector<Output> entries;
  std::uint32_t next = 0;
  for (std::uint32_t q = 0; q <= max_order; ++q) {
    Jacobian j = jacobian(g, residual, segments[2 + q]);
    for (Output& o : j.entries) {
      o.first += next;
      for (std::uint32_t& slot : o.slots)
        if (slot != none) slot += next;
      entries.push_back(std::move(o));
    }
    out.first_entry.push_back(next);
    next += static_cast<std::uint32_t>(j.pattern.nnz());
    out.patterns.push_back(std::move(j.pattern));
  }
  out.jacobian = compile(g, entries, segments, options);
  return out;
}

template <class T>
DerivativeArray<T>::DerivativeArray(DerivativeArrayProgram program, int order)
    : program_(std::move(program)),
      order_(order),
      residual_(program_.residual, order),
      jacobian_(program_.jacobian, order) {}

template <class T>
void DerivativeArray<T>::set_locks(std::span<const std::uint8_t> locks) {
  residual_.set_locks(locks);
  // The Jacobian was compiled later and may know switches the residual does not have.
  for (std::size_t s = 0; s < locks.size(); ++s)
    jacobian_.set_lock(static_cast<SwitchId>(s), locks[s]);
}

template <class T>
void DerivativeArray<T>::set_held(std::span<const T> values) {
  for (TaylorEvaluator<T>* e : {&residual_, &jacobian_})
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::span<T> series = e->input(1, i);
      std::fill(series.begin(), series.end(), T(0.0));
      series[0] = values[i];
    }
}

template <class T>
void DerivativeArray<T>::load(TaylorEvaluator<T>& evaluator, const T& time,
                              std::span<const std::span<const T>> path) {
  const std::span<T> t = evaluator.input(0, 0);
  std::fill(t.begin(), t.end(), T(0.0));
  t[0] = time;
  if (order_ >= 1) t[1] = T(1.0);
  for (std::uint32_t q = 0; q <= program_.max_order; ++q)
    for (std::size_t i = 0; i < program_.n_unknowns; ++i) {
      const std::span<T> series = evaluator.input(2 + q, i);
      for (int k = 0; k <= order_; ++k) {
        // x^(q) has the coefficients (k+1) … (k+q) x_{k+q}.
        T c = path[static_cast<std::size_t>(k) + q][i];
        for (std::uint32_t s = 1; s <= q; ++s) c = c * T(static_cast<double>(k) + s);
        series[static_cast<std::size_t>(k)] = c;
      }
    }
}

template <class T>
void DerivativeArray<T>::run(const T& time, std::span<const std::span<const T>> path,
                             bool with_jacobian) {
  SALTUS_ASSERT(path.size() > static_cast<std::size_t>(order_) + program_.max_order);
  load(residual_, time, path);
  residual_.run();
  if (!with_jacobian) return;
  load(jacobian_, time, path);
  jacobian_.run();
}

template class DerivativeArray<double>;
template class DerivativeArray<Interval>;
template class DerivativeArray<Quad>;

}  // namespace saltus
