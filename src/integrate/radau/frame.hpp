// One step as all pieces of the engine see it.
#pragma once

#include <cstddef>
#include <span>

#include "integrate/problem.hpp"
#include "integrate/radau/tableau.hpp"

namespace saltus::detail {

/// From t_left to t_right. h is the length that matrices were factorised for; t_right - t_left may
/// differ from it by rounding.
struct RadauFrame {
  double t_left = 0.0;
  double t_right = 0.0;
  double h = 0.0;
  std::span<const double> x_left;

  double stage_time(std::size_t i) const {
    return i + 1 == radau_stages ? t_right : t_left + radau_tableau.c[i] * h;
  }
};

/// Three vectors of length n, one after the other: stages, or what belongs to stages.
template <class Number>
std::span<Number> radau_stage(std::span<Number> all, std::size_t i) {
  const std::size_t n = all.size() / radau_stages;
  return all.subspan(i * n, n);
}

/// out_i = factor sum_j m_ij in_j.
inline void combine_radau_stages(const RadauMatrix& m, double factor, std::span<const double> in,
                                 std::span<double> out) {
  const std::size_t n = in.size() / radau_stages;
  for (std::size_t k = 0; k < n; ++k) {
    const double v0 = in[k], v1 = in[n + k], v2 = in[2 * n + k];
    for (std::size_t i = 0; i < radau_stages; ++i) {
      out[i * n + k] = factor * (m[i][0] * v0 + m[i][1] * v1 + m[i][2] * v2);
    }
  }
}

/// The left end of a step was accepted before: no stage check has a say in it.
class WithoutStageCheck {
 public:
  explicit WithoutStageCheck(Problem& problem) : problem_(problem) {
    check_.swap(problem_.stage_check);
  }
  ~WithoutStageCheck() { check_.swap(problem_.stage_check); }
  WithoutStageCheck(const WithoutStageCheck&) = delete;
  WithoutStageCheck& operator=(const WithoutStageCheck&) = delete;

 private:
  Problem& problem_;
  StageCheck check_;
};

}  // namespace saltus::detail
