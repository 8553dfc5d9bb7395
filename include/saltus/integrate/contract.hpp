// Tests the contract of an engine: run it on your own engine.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <saltus/integrate/engine.hpp>

namespace saltus {

using EngineFactory = std::function<std::unique_ptr<Engine>(
    const System& system, Workspace& workspace, const EngineOptions& options)>;

/// Returns sentences that name violations; empty if the contract holds. The small test problems
/// have closed solutions. The test covers accuracy in both directions of time, exact bounds, the
/// step polynomial at both end points with its slopes, and shorten() to several times with start()
/// after it. A refused stage or a point out of domain must lead to smaller steps and finally to a
/// failure that keeps the last point. A second identical run must be equal bit for bit, and counts
/// must only grow.
std::vector<std::string> check_engine(const EngineFactory& make);

}  // namespace saltus
