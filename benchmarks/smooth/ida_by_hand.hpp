// A program that drives IDA as its manual shows, without anything of ours in between.
#pragma once

#include <memory>

#include "stiff_models.hpp"

namespace saltus::bench {

class IdaByHand {
 public:
  /// KLU. With fast vectors the operations on vectors are compiled with optimisation, as the model's own
  /// functions are.
  IdaByHand(const HandModel& model, double newton_coefficient, bool fast_vectors);
  ~IdaByHand();
  IdaByHand(const IdaByHand&) = delete;
  IdaByHand& operator=(const IdaByHand&) = delete;

  /// From start to end; the number of steps.
  long run();
  double end_value(int i) const;
  long n_residuals() const;

 private:
  struct Objects;
  std::unique_ptr<Objects> o_;
};

}  // namespace saltus::bench
