#include "units.hpp"

#include <cmath>
#include <numeric>

#include "ranked_solve.hpp"

namespace saltus::detail {
namespace {

void rescale(ScaledResponse& r) {
  for (std::size_t i = 0; i < r.f.size(); ++i) {
    const double diagonal = std::fabs(r.w(i, i));
    // a power of 2, so that nothing is rounded
    const double unit = diagonal > 0.0 ? std::exp2(-std::round(0.5 * std::log2(diagonal))) : 1.0;
    r.unit[i] *= unit;
    r.f[i] *= unit;
    for (std::size_t j = 0; j < r.f.size(); ++j) {
      r.w(i, j) *= unit;
      r.w(j, i) *= unit;
    }
  }
}

}  // namespace

ScaledResponse scaled(const InstantProblem& problem) {
  const std::size_t n = problem.laws.size();
  ScaledResponse r;
  r.w = problem.response;
  r.f = problem.free;
  r.unit.assign(2 * n, 1.0);
  for (std::size_t i = 0; i < n; ++i) {
    if (problem.laws[i].frictional) continue;
    r.f[n + i] = 0.0;
    for (std::size_t j = 0; j < 2 * n; ++j) r.w(n + i, j) = r.w(j, n + i) = 0.0;
  }
  rescale(r);
  return r;
}

Result<WithoutJoints> without_joints(const InstantProblem& problem, ScaledResponse& r) {
  const std::size_t n = problem.laws.size();
  WithoutJoints rest;
  std::vector<std::uint32_t>& joints = rest.joints;
  for (std::size_t i = 0; i < n; ++i) {
    (problem.laws[i].bilateral ? joints : rest.contacts).push_back(static_cast<std::uint32_t>(i));
  }
  rest.response = part_of(r, rest.contacts);
  if (joints.empty()) return rest;
  const std::size_t m = rest.contacts.size(), k = joints.size();
  std::vector<std::size_t> rows(2 * m);
  for (std::size_t i = 0; i < m; ++i)
    rows[i] = rest.contacts[i], rows[m + i] = n + rest.contacts[i];
  Matrix w(static_cast<std::uint32_t>(k), static_cast<std::uint32_t>(k));
  Matrix right(static_cast<std::uint32_t>(k), static_cast<std::uint32_t>(2 * m));
  Matrix free(static_cast<std::uint32_t>(k), 1);
  for (std::size_t i = 0; i < k; ++i) {
    for (std::size_t j = 0; j < k; ++j) w(i, j) = r.w(joints[i], joints[j]);
    for (std::size_t j = 0; j < 2 * m; ++j) right(i, j) = -r.w(joints[i], rows[j]);
    free(i, 0) = -r.f[joints[i]];
  }
  double contradiction = 0.0, unmoved = 0.0;
  rest.balance = solve_ranked(w, free, contradiction);
  rest.answer = solve_ranked(w, right, unmoved);
  if (!(contradiction <= 1e-6) || !(unmoved <= 1e-6)) {
    return Failure{FailureCode::singular, "joints " + names_of(problem.laws, joints) +
                                              " contradict each other: no forces bring the " +
                                              problem.rate + " of all of them to 0"};
  }
  for (std::size_t i = 0; i < k; ++i) {
    double sum = 0.0;
    for (std::size_t j = 0; j < k; ++j) sum -= w(i, j) * rest.balance(j, 0);
    r.f[joints[i]] = sum;
  }
  for (std::size_t i = 0; i < 2 * m; ++i) {
    double size = std::fabs(rest.response.f[i]);
    for (std::size_t l = 0; l < k; ++l) {
      const double share = r.w(rows[i], joints[l]);
      rest.response.f[i] += share * rest.balance(l, 0);
      size = std::fmax(size, std::fabs(share * rest.balance(l, 0)));
      for (std::size_t j = 0; j < 2 * m; ++j) rest.response.w(i, j) += share * rest.answer(l, j);
    }
    if (std::fabs(rest.response.f[i]) <= 1e-14 * size) rest.response.f[i] = 0.0;
  }
  // What joints hold fast does not move; what is left of it is rounding.
  for (std::size_t i = 0; i < 2 * m; ++i) {
    if (std::fabs(rest.response.w(i, i)) > contact_rank_tolerance) continue;
    for (std::size_t j = 0; j < 2 * m; ++j) rest.response.w(i, j) = rest.response.w(j, i) = 0.0;
  }
  rescale(rest.response);
  return rest;
}

ScaledResponse part_of(const ScaledResponse& response, std::span<const std::uint32_t> which) {
  const std::size_t n = response.n_contacts(), m = which.size();
  ScaledResponse part;
  part.w = Matrix(static_cast<std::uint32_t>(2 * m), static_cast<std::uint32_t>(2 * m));
  part.f.resize(2 * m);
  part.unit.resize(2 * m);
  const auto row = [&](std::size_t i) { return i < m ? which[i] : n + which[i - m]; };
  for (std::size_t i = 0; i < 2 * m; ++i) {
    part.f[i] = response.f[row(i)];
    part.unit[i] = response.unit[row(i)];
    for (std::size_t j = 0; j < 2 * m; ++j) part.w(i, j) = response.w(row(i), row(j));
  }
  return part;
}

std::vector<std::vector<std::uint32_t>> groups_of(const ScaledResponse& response) {
  const std::size_t n = response.n_contacts();
  std::vector<std::size_t> group(n);
  std::iota(group.begin(), group.end(), std::size_t{0});
  const auto acts = [&](std::size_t i, std::size_t j) {
    for (const std::size_t a : {i, n + i}) {
      for (const std::size_t b : {j, n + j}) {
        // a few units in the last place of sums of terms as large as the diagonal
        if (std::fabs(response.w(a, b)) > 1e-13 || std::fabs(response.w(b, a)) > 1e-13) return true;
      }
    }
    return false;
  };
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (group[i] == group[j] || !acts(i, j)) continue;
      const std::size_t old = group[i], now = group[j];
      for (std::size_t& g : group) g = g == old ? now : g;
    }
  }
  std::vector<std::vector<std::uint32_t>> groups;
  for (std::size_t g = 0; g < n; ++g) {
    std::vector<std::uint32_t> members;
    for (std::size_t i = 0; i < n; ++i) {
      if (group[i] == g) members.push_back(static_cast<std::uint32_t>(i));
    }
    if (!members.empty()) groups.push_back(std::move(members));
  }
  return groups;
}

}  // namespace saltus::detail
