#include "evaluator_impl.hpp"

namespace saltus {
template class BasicEvaluator<detail::TaylorAlgebra<Quad>, Quad>;
template class TaylorEvaluator<Quad>;
}  // namespace saltus
