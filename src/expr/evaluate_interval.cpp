#include "evaluator_impl.hpp"

namespace saltus {
template class BasicEvaluator<detail::ScalarAlgebra<Interval>, Interval>;
template class Evaluator<Interval>;
}  // namespace saltus
