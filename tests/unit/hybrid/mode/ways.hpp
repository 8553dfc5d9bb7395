// A search for the next mode: a source of a few modes, and the transitions between them.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "../dressed_system.hpp"
#include "hybrid/mode/mode_search.hpp"
#include "linear_system.hpp"

namespace saltus::hybrid_test {

/// How the unknowns of a mode begin; without more words as those of the same number before.
struct WayIn {
  std::vector<UnknownStart> starts;
  std::vector<std::uint32_t> same_before;
  std::vector<double> mapped = {};  // one per unknown; of the others it is not used
  /// An equation "limit" between both limits: unknown 0 has this value.
  std::optional<double> limit = {};
};

class CarriedMap final : public TransitionMap {
 public:
  explicit CarriedMap(WayIn way) : way_(std::move(way)) {}
  std::span<const UnknownStart> starts() const override { return way_.starts; }
  std::span<const std::uint32_t> same_before() const override { return way_.same_before; }
  void set_left(double, std::span<const double> x, std::span<const double> xdot,
                std::span<const double>, std::span<const double>) override {
    x_.assign(x.begin(), x.end());
    xdot_.assign(xdot.begin(), xdot.end());
  }
  Evaluation wish(StartValues& start) override {
    for (std::uint32_t i = 0; i < way_.starts.size(); ++i) {
      const std::uint32_t before = way_.same_before[i];
      if (way_.starts[i] == UnknownStart::fresh) continue;
      if (way_.starts[i] == UnknownStart::mapped) {
        start.x[i] = way_.mapped[i];
      } else if (before != detail::UnknownPairing::none) {
        start.x[i] = x_[before];
        start.xdot[i] = xdot_[before];
      }
      start.x_given[i] = way_.starts[i] != UnknownStart::free;
      if (start.x[i] != start.x[i]) return Evaluation::out_of_domain(i);
    }
    return Evaluation::ok();
  }
  LimitEquations* equations() override { return way_.limit ? &limit_ : nullptr; }

 private:
  struct Limit final : LimitEquations {
    explicit Limit(const WayIn& of) : way(of) {}
    std::uint32_t count() const override { return 1; }
    std::string name(std::uint32_t) const override { return "limit"; }
    Evaluation residual(std::span<const double> x_plus, std::span<double> r) override {
      r[0] = x_plus[0] - *way.limit;
      return Evaluation::ok();
    }
    Evaluation jacobian(std::span<const double>, std::span<double> dr) override {
      std::ranges::fill(dr, 0.0);
      dr[0] = 1.0;
      return Evaluation::ok();
    }
    const WayIn& way;
  };
  WayIn way_;
  Limit limit_{way_};
  std::vector<double> x_, xdot_;
};

/// A linear system with the relations and actions of another one.
class SwitchedLinear final : public System {
 public:
  SwitchedLinear(LinearParts parts, std::shared_ptr<const System> switches)
      : linear_(linear_system(std::move(parts))), switches_(std::move(switches)) {}
  std::uint32_t size() const override { return linear_->size(); }
  const CscPattern& pattern() const override { return linear_->pattern(); }
  std::span<const std::uint8_t> carries_derivative() const override {
    return linear_->carries_derivative();
  }
  std::string unknown_name(std::uint32_t i) const override { return linear_->unknown_name(i); }
  std::string equation_name(std::uint32_t i) const override { return linear_->equation_name(i); }
  double nominal(std::uint32_t i) const override { return linear_->nominal(i); }
  StartValues start_values() const override { return linear_->start_values(); }
  const VariableMap& variable_map() const override { return linear_->variable_map(); }
  std::unique_ptr<Workspace> workspace() const override {
    return std::make_unique<Work>(linear_->workspace(), switches_->workspace());
  }

 private:
  struct Work final : Workspace {
    Work(std::unique_ptr<Workspace> of_linear, std::unique_ptr<Workspace> of_switches)
        : linear(std::move(of_linear)), switches(std::move(of_switches)) {
      hand_on(*linear, EveryAbility{});
      hand_on(*switches, AbilityList<SwitchingFunctions, Locks, EventActions>{});
    }
    Evaluation residual(double t, std::span<const double> x, std::span<const double> xdot,
                        std::span<double> f) override {
      return linear->residual(t, x, xdot, f);
    }
    Evaluation jacobian(double t, std::span<const double> x, std::span<const double> xdot,
                        std::span<double> by_x, std::span<double> by_xdot) override {
      return linear->jacobian(t, x, xdot, by_x, by_xdot);
    }
    std::unique_ptr<Workspace> linear, switches;
  };
  std::shared_ptr<const System> linear_, switches_;
};

struct Ways final : ConfigurationSource {
  std::vector<std::pair<std::string, std::shared_ptr<const System>>> modes;  // null: not possible
  std::vector<TransitionInfo> all;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::optional<WayIn>> maps;
  int n_maps = 0;

  Configuration initial() const override { return {}; }
  std::uint32_t n_modes() const override { return static_cast<std::uint32_t>(modes.size()); }
  std::string mode_name(std::uint32_t mode) const override { return modes[mode].first; }
  Result<std::shared_ptr<const System>> system(const Configuration& configuration) override {
    if (modes[configuration.mode].second) return modes[configuration.mode].second;
    return Failure{FailureCode::singular, "this mode has no equations"};
  }
  std::span<const TransitionInfo> transitions() const override { return all; }
  Result<std::unique_ptr<TransitionMap>> transition_map(std::uint32_t way,
                                                        std::uint32_t to) override {
    ++n_maps;
    const auto stated = maps.find({way, to});
    if (stated != maps.end() && !stated->second)
      return Failure{FailureCode::singular, "nobody knows the way"};
    if (stated != maps.end())
      return std::unique_ptr<TransitionMap>(new CarriedMap(*stated->second));
    WayIn way_in;
    const std::uint32_t n = modes[all[way].from].second->size();
    for (std::uint32_t i = 0; i < modes[to].second->size(); ++i) {
      way_in.starts.push_back(i < n ? UnknownStart::held : UnknownStart::fresh);
      way_in.same_before.push_back(i < n ? i : detail::UnknownPairing::none);
    }
    return std::unique_ptr<TransitionMap>(new CarriedMap(std::move(way_in)));
  }
};

/// Ways out of mode 0, which is "first" and has n unknowns x, y, …; one relation, x > 1.
struct ModeWays {
  using When = std::function<bool(Dress::Truths truths, Dress::In discrete)>;
  static bool always(Dress::Truths, Dress::In) { return true; }
  static bool above(Dress::Truths truths, Dress::In) { return truths[0] != 0; }

  explicit ModeWays(std::size_t n = 1) : n_unknowns(n) {
    options.t_end = 2.0;
    add("first");
  }
  /// All unknowns have this rate. Returns its number.
  std::uint32_t add(const std::string& name, Dress dress = {}, double rate = 1.0,
                    std::size_t n = 0) {
    SystemFunctions f;
    for (std::size_t i = 0; i < (n > 0 ? n : n_unknowns); ++i)
      f.unknowns.push_back({.name = std::string(1, "xyz"[i]), .start = -9.0, .unit = "A"});
    f.switches = {{"x > 1"}};
    f.switching = [](double, auto x, auto g) { g[0] = x[0] - 1.0; };
    f.locked_derivative = [rate](double, auto, auto, auto xdot) {
      for (double& v : xdot) v = rate;
    };
    dresses.push_back(std::move(dress));
    functions.push_back(std::move(f));
    source.modes.push_back({name, nullptr});
    return source.n_modes() - 1;
  }
  /// It switches if it has actions.
  std::uint32_t add_linear(const std::string& name, LinearParts parts, Dress dress = {}) {
    const std::uint32_t number = add(name, std::move(dress), 1.0, parts.unknowns.size());
    linear.emplace(number, std::move(parts));
    return number;
  }
  TransitionInfo& way(std::uint32_t from, const std::string& name, std::vector<std::uint32_t> to,
                      When when = always) {
    dresses[from].add_action(ActionKind::transition, name, std::move(when)).transition =
        static_cast<std::uint32_t>(source.all.size());
    TransitionInfo& made = source.all.emplace_back();
    made.name = name;
    made.from = from;
    made.candidates = std::move(to);
    return made;
  }
  /// Systems as they were added so far.
  void supply() {
    for (std::uint32_t k = 0; k < functions.size(); ++k) {
      auto& system = source.modes[k].second;
      if (system || functions[k].unknowns.empty()) continue;
      system = dressed(functions[k], dresses[k]);
      if (!linear.contains(k)) continue;
      if (dresses[k].actions.empty())
        system = linear_system(linear.at(k));
      else
        system = std::make_shared<SwitchedLinear>(linear.at(k), system);
    }
  }
  /// All transitions of the first mode hold.
  Result<detail::ModeChange> leave(std::vector<double> x, double t = 0.5) {
    supply();
    detail::ModeRun& first = modes.at(0);
    if (!first.original) {
      EXPECT_TRUE(first.load().has_value());
      EXPECT_TRUE(first.begin(0.0, first.system, nullptr).has_value());
    }
    left.t = t;
    left.x = std::move(x);
    left.xdot.assign(left.x.size(), 1.0);
    if (left.movement.empty()) left.movement.assign(left.x.size(), 1e-5);
    if (left.has_history.empty()) left.has_history.assign(left.x.size(), 1);
    std::vector<detail::FiredAction> leaving;
    for (std::uint32_t k = 0; k < dresses[0].actions.size(); ++k) leaving.push_back({k, k});
    return search.run(first, left, leaving);
  }
  std::size_t n_unknowns;
  std::vector<Dress> dresses;
  std::vector<SystemFunctions> functions;
  std::map<std::uint32_t, LinearParts> linear;
  RunOptions options;
  Ways source;
  detail::ModeSet modes{source, options};
  detail::ModeSearch search{modes, source, options};
  detail::LeftState left;
};

}  // namespace saltus::hybrid_test
