// In which order a program does its work. Private to expr.
#pragma once

#include <cstdint>
#include <vector>

#include "plan.hpp"

namespace saltus {

/// One thing the program does.
struct ScheduleItem {
  enum class Kind : std::uint8_t { node, condition, call, family };
  Kind kind;
  std::uint32_t id;
};

/// The order of evaluation: depth first from the outputs, stage by stage, with the condition that
/// decides a conditional before its operands, because a jump may test it.
struct Schedule {
  std::vector<ScheduleItem> prologue;
  std::vector<ScheduleItem> main;
  std::vector<NodeId> fused_into;         // a product computed by the sum that reads it; none
  std::vector<Guards::SetId> call_guard;  // per call
  std::vector<std::uint32_t> call_at;     // first register of its outputs
};

Schedule make_schedule(Plan& plan);

/// The prologue runs when held values change, so only branches they decide can guard it: the
/// longest beginning of a path made of such branches.
Guards::SetId held_part(const Plan& plan, Guards::SetId set);

}  // namespace saltus
