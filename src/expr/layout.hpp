// Addresses of families: affine where possible, tables where not. Private to expr.
#pragma once

#include <cstdint>
#include <functional>
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

/// The same as scalar code, lane after lane: cheaper than a loop if there are few. `allocate` gives a register for
/// temporaries, which are the same in all families: `temporaries` are those given so far.
void unroll_family(const Plan& plan, const PlannedFamily& family, Program::Image& image,
                   CopiedRegisters& copied, std::vector<std::uint32_t>& temporaries,
                   const std::function<std::uint32_t()>& allocate,
                   std::vector<std::uint32_t>& code);

}  // namespace saltus
