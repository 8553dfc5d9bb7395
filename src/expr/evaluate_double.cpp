#include "evaluator_impl.hpp"

namespace saltus {
template class BasicEvaluator<detail::ScalarAlgebra<double>, double>;
template class Evaluator<double>;
}  // namespace saltus
