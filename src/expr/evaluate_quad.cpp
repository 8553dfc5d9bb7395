#include "evaluator_impl.hpp"

namespace saltus {
template class BasicEvaluator<detail::ScalarAlgebra<Quad>, Quad>;
template class Evaluator<Quad>;
}  // namespace saltus
