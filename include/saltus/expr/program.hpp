// Programs: expressions compiled for repeated evaluation.
//
// A Program is immutable and shareable between threads. An evaluation writes only to its Evaluator
// (evaluator.hpp), one per thread. The same program runs in every algebra.
//
// Conditionals. A *locked* program takes the branch of every tracked relation from the lock vector
// and never computes a switching function. An *unlocked* program computes the switching functions
// it meets and stores their truth in the lock vector. Both skip the arm that is not taken,
// except in rolled families (Tier).
//
// Work that depends only on constants, parameters, discrete variables and previous values is done
// in a prologue, once per change of those values.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <saltus/expr/graph.hpp>

namespace saltus {

/// Places the lanes of a node in the vector of outputs: lane j goes to first + j * stride, or to
/// slots[j] if slots are given (a slot `none` drops the lane). A scalar with `lanes` > 1 is written
/// to each of them.
struct Output {
  NodeId node = none;
  std::uint32_t first = 0;
  std::uint32_t stride = 1;
  std::uint32_t lanes = 1;
  std::vector<std::uint32_t> slots = {};
  /// All of these must hold for the value to matter. Otherwise it is left at zero, unevaluated.
  std::vector<Literal> context = {};

  std::uint32_t slot(std::uint32_t lane) const {
    return slots.empty() ? first + lane * stride : slots[lane];
  }
};

/// Returns outputs 0, 1, 2, … in the order of the nodes. An array takes as many as it has lanes.
std::vector<Output> outputs_in_order(const Graph& graph, std::span<const NodeId> nodes);

/// A locked program needs its locks before it runs; an unlocked one decides by itself.
enum class Locking : std::uint8_t { locked, unlocked };

enum class Tier : std::uint8_t {
  automatic,  // rolled if most equations share a few shapes, else scalar
  scalar,     // one instruction per operation: the reference
  rolled,     // equations of one shape evaluated together, both arms of their conditionals too
};

struct CompileOptions {
  Locking locking = Locking::locked;
  Tier tier = Tier::automatic;
  /// Equations of one shape are rolled from this number on. Below it, the cost per family does not
  /// pay off (measured: break-even between 30 and 60 lanes, docs/design/0003).
  std::uint32_t rolled_from_lanes = 48;
};

struct ProgramStatistics {
  std::size_t n_instructions = 0;       // scalar, in the main section
  std::size_t n_held_instructions = 0;  // in the prologue
  std::size_t n_families = 0;
  std::size_t n_family_lanes = 0;
  std::size_t n_registers = 0;
  std::size_t memory = 0;  // bytes
};

class Program {
 public:
  struct Image;
  explicit Program(std::unique_ptr<const Image> image);
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  std::size_t n_outputs() const;
  std::size_t n_segments() const;
  std::size_t segment_size(std::size_t segment) const;
  /// Returns the length of the lock vector: all switches of the graph at the time of compilation.
  std::size_t n_switches() const;
  Locking locking() const;
  ProgramStatistics statistics() const;

  const Image& image() const { return *image_; }

 private:
  std::unique_ptr<const Image> image_;
};

/// Compiles outputs into a program whose arguments are the given segments. Throws ModelError,
/// naming the input, if an input of an output is in no segment.
std::shared_ptr<const Program> compile(const Graph& graph, std::span<const Output> outputs,
                                       std::span<const InputSegment> segments,
                                       const CompileOptions& options = {});

}  // namespace saltus
