// Which engine integrates a mode, and when another one takes over.
#pragma once

#include "hybrid/stay/frame.hpp"

namespace saltus::detail {

/// What a mode is integrated with, also where it has not been yet.
EngineKind engine_kind_of(const ModeRun& mode, const EventPoint& at, const RunOptions& options);
/// The engine of the mode that the run is in: the one that was asked for, or chosen at the point it starts from.
void make_engine_of(const Frame& frame, double t);
/// Steps are limited by stability: an implicit engine takes over at the end of the last step, or that is said. True if one
/// does: it has not been started.
bool replace_stiff_engine(const Frame& frame);
/// Of the implicit engines the one that suits the distance between events, if none was asked for. `n_steps`: of the
/// stretch that has ended.
void suit_engine_to_stretches(const Frame& frame, std::uint64_t n_steps);

}  // namespace saltus::detail
