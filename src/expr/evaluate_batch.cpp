#include "evaluator_impl.hpp"

namespace saltus {
template class BasicEvaluator<detail::ScalarAlgebra<Batch>, Batch>;
template class Evaluator<Batch>;
}  // namespace saltus
