#include "integrate/explicit/tableau.hpp"

namespace saltus::detail {

ExplicitTableau dopri5_tableau() {
  ExplicitTableau tableau;
  tableau.kind = EngineKind::dopri5;
  tableau.order = 5;
  tableau.n_stages = 6;
  tableau.c = {0.0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1.0, 1.0};
  tableau.a = {
      {},
      {1.0 / 5},
      {3.0 / 40, 9.0 / 40},
      {44.0 / 45, -56.0 / 15, 32.0 / 9},
      {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
      {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
      {35.0 / 384, 0.0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84},
  };
  tableau.error = {
      {71.0 / 57600, 0.0, -71.0 / 16695, 71.0 / 1920, -17253.0 / 339200, 22.0 / 525, -1.0 / 40}};
  tableau.dense = {{-12715105075.0 / 11282082432, 0.0, 87487479700.0 / 32700410799,
                    -10690763975.0 / 1880347072, 701980252875.0 / 199316789632,
                    -1453857185.0 / 822651844, 69997945.0 / 29380423}};
  tableau.beta = 0.04;
  tableau.exponent = 1.0 / 5 - 0.75 * tableau.beta;
  tableau.min_factor = 0.2;
  tableau.max_factor = 10.0;
  tableau.stability_limit = 3.25;
  return tableau;
}

bool ExplicitTableau::error_needs_new_point() const {
  const auto index = static_cast<std::size_t>(new_point());
  for (const Row& row : error) {
    if (row.size() > index && row[index] != 0.0) return true;
  }
  return false;
}

}  // namespace saltus::detail
