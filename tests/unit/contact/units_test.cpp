// Parts of a response.
#include <gtest/gtest.h>

#include "contact/units.hpp"

namespace saltus {
namespace {

TEST(ContactUnits, APartHoldsTheNormalsAndTangentsOfItsContacts) {
  detail::ScaledResponse whole{Matrix(6, 6), {}, {}};
  for (std::uint32_t i = 0; i < 6; ++i) {
    whole.f.push_back(100.0 + i);
    whole.unit.push_back(200.0 + i);
    for (std::uint32_t j = 0; j < 6; ++j) whole.w(i, j) = 10.0 * i + j;
  }
  const std::uint32_t which[] = {2, 0};
  const detail::ScaledResponse part = detail::part_of(whole, which);
  const std::uint32_t rows[] = {2, 0, 5, 3};
  EXPECT_EQ(part.n_contacts(), 2u);
  ASSERT_EQ(part.w.n_rows, 4u);
  ASSERT_EQ(part.w.n_cols, 4u);
  for (std::uint32_t i = 0; i < 4; ++i) {
    EXPECT_EQ(part.f[i], 100.0 + rows[i]);
    EXPECT_EQ(part.unit[i], 200.0 + rows[i]);
    for (std::uint32_t j = 0; j < 4; ++j) EXPECT_EQ(part.w(i, j), 10.0 * rows[i] + rows[j]);
  }
}

}  // namespace
}  // namespace saltus
