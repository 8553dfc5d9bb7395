// A function over a part of a step, as a polynomial in Bernstein form and a bound of what it lacks.
#pragma once

#include <array>
#include <span>

#include <saltus/numerics/interval.hpp>

namespace saltus::detail {

/// G(s) for a <= s <= b is p(u) + rest, u = (s - a)/(b - a), p = sum_i coefficients[i] B_i(u).
struct Piece {
  static constexpr int max_degree = 19;

  double a = 0.0;
  double b = 0.0;
  int degree = 0;
  std::array<double, max_degree + 1> coefficients{};
  /// |rest| <= value_error + rounding; of value_error a model over a part of the piece would get rid of
  /// `truncation`, by and by.
  double value_error = 0.0;
  double truncation = 0.0;
  double rounding = 0.0;
  /// |d rest/du| <= slope_error, apart from rounding.
  double slope_error = 0.0;
  /// Sign of G' wherever the model holds, if something else than the polynomial says so.
  int slope_sign = 0;
  /// Sign of G in the middle of a fresh model, where the rounding errors are least; 0 if not certain.
  int centre_sign = 0;
  bool is_quick = false;    // the model is of low degree: a better one is at hand
  bool is_fresh = true;     // the model was made for this very piece
  bool is_sampled = false;  // from samples: the bounds are guesses
  bool has_model = false;   // else only a and b have a meaning
  int level = 0;            // how often halved for want of a model

  std::span<const double> shape() const {
    return {coefficients.data(), static_cast<std::size_t>(degree) + 1};
  }
  double width() const { return b - a; }
};

/// What a piece says about its function.
struct Verdict {
  double lowest = 0.0;  // bounds of G over the piece
  double highest = 0.0;
  double error = 0.0;  // how far G may be from p
  double variation = 0.0;
  int left = 0;  // sign of G at the ends, 0 if not certain
  int right = 0;
  int slope = 0;  // sign of G' over the whole piece, 0 if not certain
};

/// From Taylor coefficients: `at_centre` are those of G at c, 0 … degree, and `over` an enclosure of those
/// of order 0 … degree + 1 at every point of [c - w, c + w] (D.1). Sets the model of a piece with a and b
/// given, c = (a + b)/2. A coefficient without bounds ends the series before it; false if not even the
/// slope is bounded.
bool set_taylor_model(Piece& piece, std::span<const Interval> at_centre,
                      std::span<const Interval> over);

Verdict judge(const Piece& piece);

/// The two halves, by de Casteljau's rule: no evaluation of G.
void halve(const Piece& piece, Piece& left, Piece& right);

}  // namespace saltus::detail
