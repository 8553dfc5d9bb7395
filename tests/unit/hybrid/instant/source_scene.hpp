// The parts of a run around a source of systems, perhaps with a follower.
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "../scene.hpp"

namespace saltus::hybrid_test {

/// Hears everything and remembers what a test asks it to.
struct QuietFollower : RunFollower {
  std::function<void(const FollowedPoint& to, const MovedStart& moved)> on_change;
  void begins(const FollowedPoint&, const FoundStart&) override {}
  void goes_on(const FollowedPoint&, const std::string&) override {}
  void piece(const System&, Workspace&, const StepPolynomial&) override {}
  void catch_up() override {}
  void hardly_misses(std::uint32_t, double t) override { missed.push_back(t); }
  void meets(const FollowedPoint&, std::span<const FollowedCrossing>,
             const std::function<bool(std::uint32_t)>&) override {}
  void acts(EventActions&, std::span<const FollowedAction>, double, std::span<const double>,
            std::span<const double>) override {}
  void settles(const FollowedPoint&) override {}
  void changes_mode(const FollowedPoint& to, const MovedStart& moved) override {
    if (on_change) on_change(to, moved);
  }
  void keeps_to(const FollowedPoint&, std::span<const KeptSurface>, bool) override {}
  void stands_on(const FollowedPoint&, std::uint32_t, const std::function<bool()>&) override {}
  void breaks(double, const std::string&) override {}
  std::vector<double> missed;
};

/// As Scene.
struct SourceScene {
  explicit SourceScene(std::shared_ptr<ConfigurationSource> source,
                       RunOptions options = Scene::in_one_second(), RunFollower* follower = nullptr)
      : ground(std::move(source), options, null_observer(), follower),
        step(ground),
        at(ground, step) {
    detail::check_and_report(ground, "scene");
    here().begin_at(options.t_begin);
    here().enter(ground.modes.at(ground.source->initial().mode));
    const auto begun = detail::begin_first_mode(ground.frame, ground.modes, std::nullopt);
    EXPECT_TRUE(begun.has_value()) << begun.failure().message;
    const auto moves = step.motion.start_stay(options.t_begin, {});
    EXPECT_TRUE(moves.has_value()) << moves.failure().message;
  }
  detail::Stay& here() { return ground.here; }
  detail::SwitchBoard& board() { return here()->kit->board; }

  detail::Ground ground;
  detail::StepParts step;
  detail::InstantParts at;
};

}  // namespace saltus::hybrid_test
