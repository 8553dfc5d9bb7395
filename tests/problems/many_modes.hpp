// As many modes as one likes, each of index 2, all of them reachable; a run visits one per second. And a
// source that counts which modes it was asked for.
#pragma once

#include <set>
#include <string>

#include <saltus/saltus.hpp>

namespace saltus::problems {

/// x is driven, y follows it by a constraint, and u is what that takes.
inline void write_many_modes(Model& m, std::uint32_t n) {
  Expr t = m.time();
  Expr x = m.state("x", 0.0), y = m.state("y", 0.0), u = m.algebraic("u");
  m.equation("follows", der(y) == u);
  m.equation("same", y == x);
  for (std::uint32_t k = 0; k < n; ++k) {
    const ModeId mode = m.mode("m" + std::to_string(k));
    m.equation(mode, "drive", der(x) == 1.0 + 0.5 * sin(t) / (k + 1.0));
  }
  for (std::uint32_t k = 0; k < n; ++k) {
    const std::string from = "from " + std::to_string(k);
    m.transition(from + " on", k, (k + 1) % n, t >= k + 1.0);
    m.transition(from + " far", k, (7 * k + 3) % n, x < -1.0);
    m.transition(from + " either", k, std::vector<ModeId>{(k + n / 2) % n, (k + n / 3) % n},
                 x < -2.0);
  }
}

/// Hands on to another source.
class CountingSource final : public ConfigurationSource {
 public:
  explicit CountingSource(std::shared_ptr<ConfigurationSource> source)
      : source_(std::move(source)) {}

  Configuration initial() const override { return source_->initial(); }
  std::uint32_t n_modes() const override { return source_->n_modes(); }
  std::string mode_name(std::uint32_t mode) const override { return source_->mode_name(mode); }
  Result<std::shared_ptr<const System>> system(const Configuration& c) override {
    asked.insert(c.mode);
    return source_->system(c);
  }
  Result<std::shared_ptr<const DifferentiatedSystem>> differentiated(
      const Configuration& c) override {
    asked.insert(c.mode);
    return source_->differentiated(c);
  }
  std::span<const TransitionInfo> transitions() const override { return source_->transitions(); }
  Result<std::unique_ptr<TransitionMap>> transition_map(std::uint32_t transition,
                                                        std::uint32_t mode) override {
    asked.insert(source_->transitions()[transition].from);
    asked.insert(mode);
    return source_->transition_map(transition, mode);
  }

  std::set<std::uint32_t> asked;

 private:
  std::shared_ptr<ConfigurationSource> source_;
};

}  // namespace saltus::problems
