#include "integrate/radau/matrices.hpp"

namespace saltus::detail {

RadauMatrices::RadauMatrices(const CscPattern& pattern, LinearSolverKind kind)
    : e_(pattern.row.size()),
      j_(pattern.row.size()),
      real_values_(pattern.row.size()),
      complex_values_(pattern.row.size()),
      real_(pattern, kind),
      complex_(pattern, kind) {}

Evaluation RadauMatrices::evaluate(Problem& problem, double t, std::span<const double> x,
                                   std::span<const double> xdot) {
  const WithoutStageCheck accepted_point(problem);
  factored_step_ = 0.0;
  const Evaluation done = problem.jacobian(t, x, xdot, j_, e_);
  evaluated_ = static_cast<bool>(done);
  return done;
}

bool RadauMatrices::factor(double h, WorkCounts& work) {
  const RadauTableau& r = radau_tableau;
  const double real = r.gamma / h;
  const std::complex<double> complex(r.alpha / h, r.beta / h);
  for (std::size_t s = 0; s < e_.size(); ++s) {
    real_values_[s] = real * e_[s] + j_[s];
    complex_values_[s] = {complex.real() * e_[s] + j_[s], complex.imag() * e_[s]};
  }
  factored_step_ = 0.0;
  ++work.n_factorizations;
  if (!real_.factor(real_values_)) {
    singular_column_ = real_.singular_column();
    return false;
  }
  ++work.n_factorizations;
  if (!complex_.factor(complex_values_)) {
    singular_column_ = complex_.singular_column();
    return false;
  }
  factored_step_ = h;
  return true;
}

}  // namespace saltus::detail
