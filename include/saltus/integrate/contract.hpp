// The contract of an engine as a test: run it on an engine of your own.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <saltus/integrate/engine.hpp>

namespace saltus {

using EngineFactory = std::function<std::unique_ptr<Engine>(
    const System& system, Workspace& workspace, const EngineOptions& options)>;

/// Sentences naming what is broken; empty if the contract holds. Checked on small problems with
/// closed solutions: accuracy in both directions of time; bounds hit exactly; the step polynomial
/// meets both end points and its slopes; shorten() to several times and start() after it; a refused
/// stage and a point out of domain lead to smaller steps and, when nothing helps, to a failure that
/// keeps the last point; a second identical run is equal bit for bit; counts only grow.
std::vector<std::string> check_engine(const EngineFactory& make);

}  // namespace saltus
