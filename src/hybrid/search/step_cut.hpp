// An event inside a step: the engine is taken back to it.
#pragma once

#include <span>
#include <variant>

#include "hybrid/search/excursions.hpp"
#include "hybrid/search/step_search.hpp"
#include "hybrid/stay/instant_request.hpp"
#include "hybrid/stay/last_part.hpp"
#include "hybrid/stay/motion.hpp"

namespace saltus::detail {

class StepCut {
 public:
  /// All outlive it.
  StepCut(const Frame& frame, Motion& motion, LastPart& last_part, Excursions& excursions,
          const StepSearch& search)
      : frame_(frame),
        here_(frame.here),
        ledger_(frame.ledger),
        motion_(motion),
        last_part_(last_part),
        excursions_(excursions),
        search_(search) {}

  /// The instant of relations that cross on the engine's last step, or why the run ends before.
  std::variant<InstantRequest, Ending> at(std::span<const Departure> group);
  /// The same of a time inside the step, at which something from outside happens.
  std::variant<InstantRequest, Ending> at_time(double t);

 private:
  EventPoint locate(std::span<const Departure> group);
  void add_passed(const EventPoint& point, std::vector<Crossing>& crossings) const;
  bool is_at_end_of_stretch(const EventPoint& point) const;
  std::optional<Ending> record(const EventPoint& point);

  const Frame& frame_;
  const Stay& here_;
  Ledger& ledger_;
  Motion& motion_;
  LastPart& last_part_;
  Excursions& excursions_;
  const StepSearch& search_;
};

}  // namespace saltus::detail
