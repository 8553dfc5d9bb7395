// What is proven of uniqueness, held against all combinations of open, stick and slip.
#include "contact/uniqueness.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace saltus::detail {
namespace {

/// n contacts with friction on `n_coordinates` coordinates of mass 1; as many or more than 2n: W is regular.
CoulombProblem random_coulomb(std::size_t n, std::size_t n_coordinates, double mu,
                              std::mt19937_64& random) {
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  std::vector<std::vector<double>> h(2 * n, std::vector<double>(n_coordinates));
  for (auto& row : h) {
    double length2 = 0.0;
    for (double& x : row) x = uniform(random), length2 += x * x;
    for (double& x : row) x /= std::sqrt(length2);
  }
  CoulombProblem p;
  p.response.w = Matrix(static_cast<std::uint32_t>(2 * n), static_cast<std::uint32_t>(2 * n));
  p.response.unit.assign(2 * n, 1.0);
  for (std::size_t i = 0; i < 2 * n; ++i) {
    p.response.f.push_back(uniform(random) - (i < n ? 0.5 : 0.0));
    for (std::size_t j = 0; j < 2 * n; ++j) {
      for (std::size_t l = 0; l < n_coordinates; ++l) p.response.w(i, j) += h[i][l] * h[j][l];
    }
  }
  for (std::size_t i = 0; i < n; ++i)
    p.contacts.push_back({static_cast<std::uint32_t>(i), true, mu, 0});
  return p;
}

std::size_t count_motions(const CoulombProblem& p) {
  const std::size_t n = p.contacts.size();
  std::vector<CoulombMotion> found;
  for (std::size_t code = 0; code < (std::size_t{1} << (2 * n)); ++code) {
    std::vector<ContactStatus> status(n);
    for (std::size_t i = 0; i < n; ++i)
      status[i] = possible_statuses(p.contacts[i])[(code >> (2 * i)) & 3];
    auto motion = motion_of(p, status);
    if (!motion) continue;
    const auto same = [&](const CoulombMotion& m) { return same_motion(p, m, *motion); };
    if (std::none_of(found.begin(), found.end(), same)) found.push_back(*motion);
  }
  return found.size();
}

TEST(ContactUniqueness, PositiveDeterminantsMeanOneMotion) {
  constexpr std::uint64_t seed = 5;
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  int n_proven = 0, n_several = 0, n_none = 0;
  for (int k = 0; k < 300; ++k) {
    const std::size_t n = 1 + static_cast<std::size_t>(k) % 4;
    const CoulombProblem p = random_coulomb(n, 2 * n + 1, k % 3 == 0 ? 0.2 : 2.0, random);
    const bool proven = unique_by_determinants(p);
    const std::size_t n_motions = count_motions(p);
    if (proven) {
      EXPECT_EQ(n_motions, 1U) << "problem " << k;
    }
    n_proven += proven;
    n_several += n_motions > 1;
    n_none += n_motions == 0;
    // the search finds as many
    EXPECT_EQ(find_motions(p).motions.size(), n_motions) << "problem " << k;
  }
  EXPECT_GT(n_proven, 50);
  // twin: without the proof there may be several; none there never is where all may stick
  EXPECT_GT(n_several, 5);
  EXPECT_EQ(n_none, 0);
}

TEST(ContactUniqueness, SymmetryProvesNothingOfFrictionOrOfIndefiniteResponses) {
  std::mt19937_64 random(7);
  CoulombProblem p = random_coulomb(3, 3, 0.5, random);
  EXPECT_FALSE(unique_by_symmetry(p));
  for (CoulombContact& c : p.contacts) c.frictional = false;
  EXPECT_TRUE(unique_by_symmetry(p));
  p.response.w(0, 1) += 0.1;
  EXPECT_FALSE(unique_by_symmetry(p));
  p.response.w(1, 0) += 0.1;
  p.response.w(2, 2) = -1.0;
  EXPECT_FALSE(unique_by_symmetry(p));
}

}  // namespace
}  // namespace saltus::detail
