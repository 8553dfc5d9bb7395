// Compares the abilities of a wrapper with what it says of them.
#pragma once

#include <gtest/gtest.h>

#include <typeinfo>

#include <saltus/system/handing.hpp>

namespace saltus::testing_support {

/// `base`: a workspace of the system below.
template <class Handing>
void expect_handing(Workspace& base, Workspace& wrapper) {
  const auto for_each = [&]<class... Abilities>(AbilityList<Abilities...>, const auto& look) {
    (look(typeid(Abilities).name(), base.template ability<Abilities>() != nullptr,
          wrapper.template ability<Abilities>() != nullptr),
     ...);
  };
  const auto is_kept = [](const char* name, bool before, bool after) {
    EXPECT_EQ(before, after) << name;
  };
  for_each(typename Handing::HandsOn{}, is_kept);
  for_each(typename Handing::Transforms{}, is_kept);
  for_each(typename Handing::EndsHere{},
           [](const char* name, bool, bool after) { EXPECT_FALSE(after) << name; });
}

}  // namespace saltus::testing_support
