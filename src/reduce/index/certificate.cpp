#include "reduce/index/certificate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <saltus/core/text.hpp>

namespace saltus::detail {

namespace {

using Readings = std::array<Reading, time_shifts.size()>;

struct Verdict {
  std::optional<CharacteristicValues> values;  // if all agree and are clear
  Readings readings;
  double tolerance = 0.0;
};

class Judge {
 public:
  Judge(RankMemory& memory, const ScaledArray<Quad>& array,
        const ArrayCoefficients<Quad>& coefficients, int n_levels, const ArrayScaling& scaling)
      : memory_(memory),
        array_(array),
        coefficients_(coefficients),
        n_levels_(n_levels),
        scaling_(scaling),
        m_(static_cast<std::uint32_t>(array.n_equations())),
        n_(static_cast<std::uint32_t>(array.n_unknowns())) {}

  Verdict judge(double tolerance) const {
    Verdict verdict;
    verdict.tolerance = tolerance;
    for (std::size_t s = 0; s < time_shifts.size(); ++s) {
      ArrayScaling shifted = scaling_;
      shifted.time_exponent += time_shifts[s];
      verdict.readings[s] = memory_.levels(array_, coefficients_, n_levels_, shifted, tolerance);
    }
    const auto first = verdict.readings[0].values(m_, n_);
    const bool agreed =
        std::all_of(verdict.readings.begin(), verdict.readings.end(),
                    [&](const Reading& r) { return r.is_clear() && r.values(m_, n_) == first; });
    if (agreed) verdict.values = first;
    return verdict;
  }

  int n_that_look_rounded(const Verdict& verdict) const {
    return static_cast<int>(
        std::count_if(verdict.readings.begin(), verdict.readings.end(),
                      [&](const Reading& r) { return r.looks_rounded(m_, n_); }));
  }

  bool finds_small_differential_parts(const Verdict& verdict) const {
    return std::any_of(verdict.readings.begin(), verdict.readings.end(),
                       [&](const Reading& r) { return r.finds_small_differential_parts(m_, n_); });
  }

  std::string candidates(const Verdict& verdict) const {
    std::string text;
    for (std::size_t s = 0; s < time_shifts.size(); ++s) {
      const auto values = verdict.readings[s].values(m_, n_);
      const double scale = std::ldexp(1.0, scaling_.time_exponent + time_shifts[s]);
      text += (s > 0 ? ", " : "") + (values ? to_text(*values) : std::string("none")) +
              " at time scale " + to_text(scale);
    }
    const LevelRanks* least = nullptr;
    for (const Reading& r : verdict.readings) {
      for (const LevelRanks& l : r.levels) {
        if (least == nullptr || l.gap() < least->gap()) least = &l;
      }
    }
    if (least != nullptr && least->gap() < required_gap) {
      text += "; the ranks of level " + std::to_string(least->level) +
              " are not clear (the smallest pivot that counts is " + to_text(least->gap()) +
              " times the largest that does not)";
    }
    return text;
  }

 private:
  RankMemory& memory_;
  const ScaledArray<Quad>& array_;
  const ArrayCoefficients<Quad>& coefficients_;
  int n_levels_;
  const ArrayScaling& scaling_;
  std::uint32_t m_, n_;
};

Certificate make_certificate(const Verdict& verdict, const std::string& note) {
  Certificate certificate;
  certificate.values = *verdict.values;
  constexpr std::size_t central = 1;
  static_assert(time_shifts[central] == 0);
  const auto& levels = verdict.readings[central].levels;
  for (std::size_t l = 0; l < levels.size(); ++l) {
    const auto decide = [&](const char* matrix, std::uint32_t rank, StageRank LevelRanks::*stage) {
      double gap = std::numeric_limits<double>::infinity();
      for (const Reading& r : verdict.readings) gap = std::min(gap, (r.levels[l].*stage).gap());
      certificate.decisions.push_back({matrix + ("_" + std::to_string(l)), rank, gap, {}});
    };
    const LevelRanks& r = levels[l];
    decide("M", r.m.rank, &LevelRanks::m);
    decide("J", r.m.rank + r.a.rank, &LevelRanks::a);
    decide("[N M; E 0]", r.m.rank + r.a.rank + r.d.rank, &LevelRanks::d);
    if (r.level == certificate.values.mu) certificate.ranks = r;
  }
  if (!note.empty() && !certificate.decisions.empty()) certificate.decisions.back().note = note;
  return certificate;
}

}  // namespace

Result<Certificate> certify(RankMemory& memory, const ScaledArray<Quad>& array,
                            const ArrayCoefficients<Quad>& coefficients, int n_levels,
                            const ArrayScaling& scaling, bool only_up_to_rounding,
                            const std::string& where) {
  const Judge judge(memory, array, coefficients, n_levels, scaling);
  const std::string uncertain =
      where + ": the characteristic values (mu, d, a, v, u) are not certain: ";
  const std::string contradict =
      "equations agree only up to rounding of their data and were taken as redundant";
  if (only_up_to_rounding) {
    const Verdict coarse = judge.judge(coarse_rank_tolerance);
    if (coarse.values) return make_certificate(coarse, contradict);
    return Failure{FailureCode::not_certified, uncertain + judge.candidates(coarse)};
  }
  const Verdict fine = judge.judge(fine_rank_tolerance);
  const bool small = std::any_of(fine.readings.begin(), fine.readings.end(),
                                 [](const Reading& r) { return r.has_small_pivots(); });
  if (small) {
    const Verdict coarse = judge.judge(coarse_rank_tolerance);
    const bool differ = coarse.values != fine.values;
    const int n_rounded = judge.n_that_look_rounded(fine);
    // A clear answer without the small pivots is one where products of time constants were taken for
    // zero, unless all three scales show such pivots at levels 0 or 1: rounding does.
    const bool doubtful = coarse.values
                              ? differ && n_rounded < static_cast<int>(time_shifts.size())
                              : n_rounded > 0 || judge.finds_small_differential_parts(fine);
    if (doubtful) {
      return Failure{FailureCode::not_certified,
                     uncertain + judge.candidates(coarse) +
                         "; with pivots below 1e-13, which may be rounding of data: " +
                         judge.candidates(fine)};
    }
    if (coarse.values && differ) {
      return make_certificate(
          coarse, "redundant up to rounding: " + to_text(*coarse.values) +
                      " with pivots below 1e-13 taken as zero, " +
                      (fine.values ? to_text(*fine.values) : "nothing certain") + " with them");
    }
  }
  if (fine.values) return make_certificate(fine, "");
  return Failure{FailureCode::not_certified, uncertain + judge.candidates(fine)};
}

}  // namespace saltus::detail
