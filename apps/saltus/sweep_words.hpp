// What a sweep says of itself.
#pragma once

#include <span>
#include <string>

#include <saltus/ensemble.hpp>

#include "program.hpp"

namespace saltus::app {

/// "1234 of 10000 runs, 3 failed, 812 per second, about 11 s left"; 0 seconds: how far it is, no more.
std::string sweep_line(const SweepProgress& p, double wall_time_s);

/// "2 runs were out of time: saltus sweep resume study.toml tries again"
std::string out_of_time_line(std::uint64_t n, const std::string& manifest_path);

/// Segments that are not all good.
void warn_of(std::span<const SegmentReport> broken);

/// The text for people, numbers and the files that were written for machines.
void tell_sweep(const SweepProgress& p, const std::string& text, ExitCode code,
                const Manner& manner, std::span<const std::string> written = {});

/// How far it is and why runs failed; partial while some are missing.
ExitCode tell_sweep_status(const SweepPlan& plan, const std::filesystem::path& folder,
                           const std::string& manifest_path, const Manner& manner);

}  // namespace saltus::app
