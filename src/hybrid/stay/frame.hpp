// What the parts of a run share.
#pragma once

#include <saltus/hybrid/options.hpp>
#include <saltus/system/configuration.hpp>

#include "hybrid/books/ledger.hpp"
#include "hybrid/stay/recording.hpp"
#include "hybrid/stay/stay.hpp"

namespace saltus::detail {

class FollowerPort;

/// All of these outlive the parts that have it.
struct Frame {
  ConfigurationSource& source;
  RunOptions& options;
  Ledger& ledger;
  Stay& here;
  Recording& recording;
  FollowerPort& follower;

  bool has_modes() const { return source.n_modes() > 1; }
};

}  // namespace saltus::detail
