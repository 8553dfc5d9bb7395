// Radau IIA with three stages, order 5: Hairer & Wanner, Solving Ordinary Differential Equations II,
// table IV.5.6. Plain data; tests/unit/integrate/radau_tableau_test.cpp checks every identity used.
#pragma once

#include <array>
#include <cstddef>

namespace saltus::detail {

inline constexpr std::size_t radau_stages = 3;
using RadauRow = std::array<double, radau_stages>;
using RadauMatrix = std::array<RadauRow, radau_stages>;

struct RadauTableau {
  /// X_i = x + h sum_j a_ij K_j at t + c_i h; the last row of A gives the new point.
  RadauRow c;
  RadauMatrix a;
  /// K = A^-1 Z / h for Z_i = X_i - x.
  RadauMatrix a_inverse;

  /// T^-1 A^-1 T = ( gamma 0 0 ; 0 alpha -beta ; 0 beta alpha ).
  double gamma;
  double alpha;
  double beta;
  RadauMatrix t;
  RadauMatrix t_inverse;

  /// The cubic x + q_1 s + q_2 s^2 + q_3 s^3 through the stages: q_k = sum_i powers_(k-1)i Z_i.
  /// Its slope at the left end, q_1 / h, carries the error estimate (error.hpp).
  RadauMatrix powers;
};

inline constexpr RadauTableau radau_tableau = {
    {0.15505102572168219018, 0.64494897427831780982, 1.0},
    {{{0.19681547722366042587, -0.065535425850198388109, 0.02377097434822015242},
      {0.394424314739087277, 0.29207341166522846302, -0.041548752125997930198},
      {0.37640306270046727505, 0.51248582618842161384, 0.11111111111111111111}}},
    {{{3.2247448713915890491, 1.1678400846904054949, -0.25319726474218082619},
      {-3.5678400846904054949, 0.7752551286084109509, 1.0531972647421808262},
      {5.5319726474218082619, -7.5319726474218082619, 5.0}}},
    3.6378342527444957322,
    2.6810828736277521339,
    3.0504301992474105694,
    {{{0.094438762488975241487, -0.14125529502095420843, -0.030029194105147424492},
      {0.25021312296533331138, 0.204129352293799932, 0.3829421127572619378},
      {1.0, 1.0, 0.0}}},
    {{{4.1787185915519047273, 0.32768282076106238708, 0.52337644549944954804},
      {-4.1787185915519047273, -0.32768282076106238708, 0.47662355450055045196},
      {-0.50287263494578687595, 2.5719269498556054292, -0.59603920482822492497}}},
    {{{10.048809399827415562, -1.3821427331607488958, 0.33333333333333333333},
      {-25.629591447076639387, 10.296258113743306053, -2.6666666666666666667},
      {15.580782047249223824, -8.9141153805825571577, 3.3333333333333333333}}},
};

}  // namespace saltus::detail
