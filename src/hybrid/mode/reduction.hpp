// A configuration of higher index becomes a system that engines integrate.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <saltus/reduce.hpp>
#include <saltus/system/configuration.hpp>
#include <saltus/trajectory/report.hpp>
#include <saltus/system/started_system.hpp>

namespace saltus::detail {

/// A system with the same solution, of index 1, and what a user should know about it.
struct Reduction {
  std::shared_ptr<const System> system;
  std::vector<DecisionRecord> choices;
  std::vector<std::string> warnings;
  /// Of the user's tolerances, what the engine is given.
  double tolerance_factor = 1.0;
};

/// Both ways of reducing one configuration at one time. The analysis of ranks is made once, when it
/// is first needed.
class Reducer {
 public:
  struct Stretch {
    double t;
    double t_end;
  };
  Reducer(ConfigurationSource& source, const Configuration& configuration,
          std::shared_ptr<const System> system, Stretch stretch, IndexOptions index_options,
          ReduceOptions reduce_options)
      : source_(source),
        configuration_(configuration),
        system_(std::move(system)),
        t_(stretch.t),
        t_end_(stretch.t_end),
        index_options_(std::move(index_options)),
        reduce_options_(std::move(reduce_options)) {}

  /// What is known already.
  void use(IndexAnalysis known) { analysis_ = std::move(known); }
  /// Parameters and discrete variables as they are at the moment.
  void hold(HeldSnapshot held) { held_ = std::move(held); }
  /// The analysis, if one was made or is known.
  const IndexAnalysis* found() const { return analysis_ && *analysis_ ? &**analysis_ : nullptr; }

  /// Fails if the user expects other characteristic values than the equations have.
  Result<void> as_expected();
  /// True if the structure says that equations have to be differentiated.
  bool structure_asks();
  /// By structure: sparse, whatever the size. Fails where structure does not tell the truth.
  Result<Reduction> by_structure();
  /// By structure, as x' = f(t, x) with constraints: for explicit engines.
  Result<Reduction> as_ode();
  /// By ranks of the derivative array: dense, for redundant and missing equations too.
  Result<Reduction> by_ranks();

 private:
  using Analysis = Result<IndexAnalysis>;
  using Differentiated = Result<std::shared_ptr<const DifferentiatedSystem>>;
  Differentiated differentiated();
  const Analysis& analysis();
  StartValues start_of_differentiated(const DifferentiatedSystem& differentiated);
  void report_values(Reduction& reduction);

  ConfigurationSource& source_;
  const Configuration& configuration_;
  std::shared_ptr<const System> system_;
  double t_, t_end_;
  IndexOptions index_options_;
  ReduceOptions reduce_options_;
  std::optional<Analysis> analysis_;
  HeldSnapshot held_;
};

}  // namespace saltus::detail
