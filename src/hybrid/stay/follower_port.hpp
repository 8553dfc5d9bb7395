// What a follower of a run is told besides steps, and what it may ask.
#pragma once

#include <span>
#include <string>

#include <saltus/hybrid/follower.hpp>
#include <saltus/hybrid/options.hpp>
#include <saltus/system/configuration.hpp>

#include "hybrid/stay/stay.hpp"

namespace saltus::detail {

class FollowerPort {
 public:
  /// Both outlive it. No follower: nobody is told.
  FollowerPort(const Stay& here, const RunOptions& options, RunFollower* follower)
      : here_(here), options_(options), follower_(follower) {}

  bool is_there() const { return follower_ != nullptr; }
  /// The follower itself, for parts that have more to tell.
  RunFollower* get() const { return follower_; }

  /// The start of a run, and where it would begin from other stated values.
  void begins(ConfigurationSource& source, bool jumps) const;
  /// From a point at which the mode starts.
  void goes_on(double t) const;
  /// The left limit of an instant.
  void meets(const EventPoint& point, std::span<const Crossing> crossings) const;
  /// Relations from whose surface the solution has just gone on.
  void stands_on_surfaces(double t) const;
  void breaks(double t, const std::string& why) const {
    if (follower_ != nullptr) follower_->breaks(t, why);
  }
  void catch_up() const {
    if (follower_ != nullptr) follower_->catch_up();
  }

 private:
  void tell_of_moved_constants() const;
  bool would_matter(std::uint32_t which, std::span<const Crossing> beside,
                    const EventPoint& at) const;

  const Stay& here_;
  const RunOptions& options_;
  RunFollower* follower_;
};

}  // namespace saltus::detail
