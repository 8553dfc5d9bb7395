#include "evaluator_impl.hpp"

namespace saltus {
template class BasicEvaluator<detail::TaylorAlgebra<double>, double>;
template class TaylorEvaluator<double>;
}  // namespace saltus
