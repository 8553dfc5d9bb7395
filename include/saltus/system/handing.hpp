// Says what becomes of the abilities of a system where another one stands before it.
//
// A reduced, sliding or continued system holds the workspace of the system below. An ability that it
// forgets to hand on would be lost silently. So each of them decides on every ability, and the compiler
// checks its lists:
//
//   struct MyHanding {
//     using HandsOn = AbilityList<HeldValues>;       // means the same here: offered as it is
//     using Transforms = AbilityList<EventActions>;  // offered by an object of the wrapper
//     using Adds = AbilityList<StepRefresh>;         // of the wrapper, whatever the system below offers
//     using EndsHere = AbilityList<...>;             // means nothing here, or cannot be had
//   };
//   static_assert(decides_every_ability<MyHanding>);
#pragma once

#include <saltus/numerics/quad.hpp>
#include <saltus/system/abilities.hpp>
#include <saltus/system/directions.hpp>
#include <saltus/system/drift.hpp>
#include <saltus/system/initial_equations.hpp>
#include <saltus/system/monitoring.hpp>
#include <saltus/system/switching.hpp>
#include <saltus/system/system.hpp>
#include <saltus/system/tangents.hpp>

namespace saltus {

/// All abilities that a workspace may offer to others than to its own part.
using EveryAbility =
    AbilityList<ExplicitForm, StepProjection, StepRefresh, ChosenStates, DerivativeUnknowns,
                ScheduledTimes, HeldValues, IncidenceOrders, DerivativeLevels<double>,
                DerivativeLevels<Quad>, ParameterDerivatives, InputDerivatives, OutputDerivatives,
                OutputProjection, OutputDirections, DriftCorrection, InitialEquations,
                RedundancyWatch, Regularity, SwitchingFunctions, Locks, StepEnclosure, EventActions,
                SwitchingTangents>;

namespace detail {

template <class Ability, class... Others>
constexpr int times_in(AbilityList<Others...>) {
  return (0 + ... + (std::is_same_v<Ability, Others> ? 1 : 0));
}

template <class Handing, class... Abilities>
constexpr bool decides(AbilityList<Abilities...>) {
  return ((times_in<Abilities>(typename Handing::HandsOn{}) +
               times_in<Abilities>(typename Handing::Transforms{}) +
               times_in<Abilities>(typename Handing::Adds{}) +
               times_in<Abilities>(typename Handing::EndsHere{}) ==
           1) &&
          ...);
}

}  // namespace detail

/// Whether each ability stands in one of the four lists, and in no other.
template <class Handing>
constexpr bool decides_every_ability = detail::decides<Handing>(EveryAbility{});

}  // namespace saltus
