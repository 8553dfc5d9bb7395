#include "evaluator_impl.hpp"

namespace saltus {
template class BasicEvaluator<detail::TaylorAlgebra<Interval>, Interval>;
template class TaylorEvaluator<Interval>;
}  // namespace saltus
