#include "hybrid/mode/accurate_motion.hpp"

#include <saltus/system/abilities.hpp>

namespace saltus::detail {

AccurateMotion::AccurateMotion(ModeRun& mode, double t, const ConsistentStart& start, double bound,
                               double first_step)
    : mode_(mode), t_begin_(t), start_(start) {
  EngineOptions accurate = mode.engine_options;
  accurate.rtol = tolerance;
  for (std::uint32_t i = 0; i < mode.system->size(); ++i)
    accurate.atol[i] = tolerance * mode.system->nominal(i);
  engine_ = make_engine(EngineKind::radau, *mode.system, *mode.workspace, accurate);
  StartHint hint;
  hint.step = first_step;
  goes_on_ = static_cast<bool>(engine_->start({t, start.x, start.xdot}, bound, hint));
}

AccurateMotion::~AccurateMotion() {
  (void)mode_.enter_stretch(t_begin_);
  if (auto* refresh = mode_.workspace->ability<StepRefresh>())
    (void)refresh->step_accepted(t_begin_, start_.x, start_.xdot);
}

bool AccurateMotion::go_to(double t) {
  constexpr int most_steps = 100;
  for (int k = 0; k < most_steps && goes_on_ && engine_->t() != t; ++k)
    goes_on_ = static_cast<bool>(engine_->step(t));
  goes_on_ = goes_on_ && engine_->t() == t;
  return goes_on_;
}

}  // namespace saltus::detail
