// How a program is laid out before code is written: what is computed where, at which stage.
// Private to expr.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "body.hpp"
#include "guards.hpp"
#include "image.hpp"

namespace saltus {

/// Where the lanes of a body's leaf come from.
struct LeafSource {
  enum class Kind : std::uint8_t {
    uniform,  // one scalar node for all lanes
    scalars,  // a scalar node per lane
    array,    // lanes of an array computed at an earlier stage
  };
  Kind kind = Kind::uniform;
  NodeId node = none;                  // uniform, array
  std::vector<std::uint32_t> lanes{};  // scalars: nodes; array: lane numbers
};

/// A family before its addresses are known.
struct PlannedFamily {
  std::uint32_t level = 0;
  std::uint32_t n_lanes = 0;
  bool in_prologue = false;
  std::vector<Literal> context{};  // run only if all hold
  Body body;
  std::vector<LeafSource> leaves;                    // as body.leaves
  std::vector<std::vector<ConditionId>> conditions;  // as body.conditions: one, or one per lane
  struct Store {
    FamilyStore::Kind kind = FamilyStore::Kind::registers;
    std::uint32_t root = 0;                // index into body.roots
    std::vector<std::uint32_t> places{};   // registers: address per lane; sum: one address
    std::vector<ConditionId> relations{};  // compare: one (array), or one per lane
  };
  std::vector<Store> stores;
};

/// The plan of one program. Filled by make_plan(), read by the emitter.
struct Plan {
  Plan(const Graph& g, std::span<const Output> outs, const CompileOptions& opts, bool roll);

  bool needed(NodeId id) const { return guards.needed(id); }
  /// Computed in the main section (as opposed to the prologue or not at all).
  bool varies(NodeId id) const { return varies_[id] != 0; }
  bool condition_varies(ConditionId id) const { return condition_varies_[id] != 0; }
  bool computes(const Relation& r) const { return Guards::computes(r, options.locking); }
  bool stored_by_family(NodeId id) const { return stored_by_family_[id] != 0; }

  const Graph& graph;
  std::span<const Output> outputs;
  CompileOptions options;
  bool rolled;
  Guards guards;

  std::vector<std::uint32_t> address;  // register per node; none: not placed yet
  std::vector<std::uint32_t> mode;     // mode byte per condition (the first of an array)
  std::vector<std::uint32_t> level;    // stage at which a node is computed
  std::vector<std::uint32_t> condition_level;
  std::uint32_t n_levels = 1;
  std::vector<PlannedFamily> families;
  std::uint32_t next_register = 0;
  std::uint32_t outputs_at = 0;
  std::uint32_t next_mode = 0;

  // Filled while planning.
  std::vector<std::uint8_t> varies_;
  std::vector<std::uint8_t> condition_varies_;
  std::vector<std::uint8_t> stored_by_family_;
  std::vector<std::uint8_t> decided_by_family;  // per condition
  std::vector<std::uint8_t> is_root;  // rolled: a value of its own, not part of another's region
};

/// Places constants, arguments and outputs; refuses an input that an output needs and no segment has.
void place_leaves(Plan& plan, std::span<const InputSegment> segments, Program::Image& image);

/// Stages of all nodes and conditions.
void find_levels(Plan& plan);

/// Families of array nodes: outputs, sources of take and sum, switching functions.
void plan_array_families(Plan& plan);

/// Scalar equations of one shape as families (rolled tier). Returns how many values they compute.
void mark_roots(Plan& plan);
std::size_t plan_rolled_families(Plan& plan);

/// Scalars written to several outputs.
void plan_repeated_outputs(Plan& plan);

/// Code, registers, families: the rest of the image.
void emit(Plan& plan, Program::Image& image);

}  // namespace saltus
