// Addresses of families: affine where possible, tables where not. Private to expr.
#pragma once

#include <cstdint>
#include <vector>

#include "plan.hpp"

namespace saltus {

/// Argument registers that are read from the register file and must therefore be copied there.
class CopiedRegisters {
 public:
  void insert(std::uint32_t r);
  std::vector<CopyRun> runs(const std::vector<SegmentPlace>& segments) const;

 private:
  std::vector<bool> marked_;
};

/// Adds a planned family to the image, split where its leaves or results jump from one affine run
/// to another (the boundary cells of a grid, say). Returns the numbers of the families made.
std::vector<std::uint32_t> lay_out_family(const Plan& plan, const PlannedFamily& family,
                                          Program::Image& image, CopiedRegisters& copied);

}  // namespace saltus
