#include <saltus/ensemble/sweep.hpp>

#include <thread>

#include <saltus/core/error.hpp>
#include <saltus/ensemble/worker.hpp>

namespace saltus {

std::uint64_t SweepPlan::fingerprint() const {
  // FNV-1a
  std::uint64_t hash = 0xcbf29ce484222325u;
  const auto add = [&](std::string_view text) {
    for (const char c : text) {
      hash ^= static_cast<unsigned char>(c);
      hash *= 0x100000001b3u;
    }
  };
  add(identity);
  for (const std::string& name : design.names()) add("\n" + name);
  for (const std::string& column : kept.columns()) add("\n" + column);
  for (const Measure& m : kept.where) add("\n" + m.text);
  add("\n" + std::to_string(design.n_runs()));
  return hash;
}

SweepReport run_sweep(const SweepPlan& sweep, const std::filesystem::path& folder,
                      const SweepOptions& options) {
  if (options.n_threads == 0) throw OptionError("threads", "is 0, it must be at least 1");
  if (options.shard >= options.n_shards)
    throw OptionError("shard", "is " + std::to_string(options.shard) + " of " +
                                   std::to_string(options.n_shards) +
                                   ": shards are numbered from 0");
  MissingRuns missing(sweep, folder, options, options.n_threads);
  const SweepRunner runner(sweep);
  runner.check_first(missing.first());
  std::vector<std::thread> others;
  for (std::uint32_t i = 1; i < options.n_threads; ++i)
    others.emplace_back([&] { work(runner, folder, missing); });
  work(runner, folder, missing);
  for (std::thread& t : others) t.join();
  return missing.report();
}

}  // namespace saltus
