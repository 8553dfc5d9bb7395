#include "hybrid/instant/order_watch.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>

#include <saltus/core/text.hpp>

namespace saltus::detail {

namespace {

std::string two_digits(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2g", value);
  return text;
}

/// Longer than this part of a step a function does not take to pass what it may be off: slower ones are marginal by
/// themselves, and what they would do without the event is not known from their tangent.
constexpr double at_most_of_step = 0.1;

/// (O.1); nothing if that is too long.
std::optional<double> time_known_to(const ModeRun& mode, std::uint32_t which) {
  const EventLocator& locator = mode.kit->locator;
  if (mode.kit->board.functions().is_timed(which)) return 0.0;
  const double error = locator.uncertainties()[which] / std::abs(locator.rate_of(which));
  if (!(error <= at_most_of_step * mode.natural_step)) return std::nullopt;
  return error;
}

struct Follow {
  std::uint32_t which = 0;
  double after = 0.0;  // the instant
  double error = 0.0;  // of the time between them
};

/// Functions that will be on their surface within the error of the time between.
std::vector<Follow> followers_of(ModeRun& mode, const EventPoint& point,
                                 std::span<const Crossing> crossings, double error_here,
                                 double stretch_end) {
  SwitchBoard& board = mode.kit->board;
  std::vector<Follow> found;
  const auto crosses = [&](std::uint32_t w) {
    return std::ranges::any_of(crossings, [&](const Crossing& c) { return c.which == w; });
  };
  const WatchList watch = board.watch(point.t);
  for (std::uint32_t w = 0; w < board.count(); ++w) {
    if (board.info(w).kind != SwitchKind::relation) continue;
    if (board.functions().is_timed(w)) {
      const double after = stretch_end - point.t;
      if (after > 0 && after <= error_here && !crosses(w) &&
          board.functions().is_due(w, stretch_end))
        found.push_back({w, after, error_here});
      continue;
    }
    // What rests on its surface, or has just left it, is not what is coming.
    if (watch.side[w] == 0 || board.search_slack(w) > board.slack(w)) continue;
    if (watch.side[w] * mode.kit->locator.rate_of(w) >= 0) continue;
    const auto error = time_known_to(mode, w);
    if (!error) continue;
    const double after = mode.kit->locator.zero_near(point, w) - point.t;
    if (after <= *error + error_here && !crosses(w))
      found.push_back({w, after, *error + error_here});
  }
  return found;
}

/// What two orders of actions lead to, tried at the left limit and under the relations there.
class Trial {
 public:
  Trial(ModeRun& mode, const EventPoint& point)
      : mode_(mode), t_(point.t), x_(point.x), xdot_(point.xdot) {
    const auto discrete = mode.kit->board.discrete();
    discrete_.assign(discrete.begin(), discrete.end());
    before_ = discrete_;
  }
  ~Trial() { take_back(); }
  Trial(const Trial&) = delete;
  Trial& operator=(const Trial&) = delete;

  /// False if that has no result.
  bool carry_out(std::span<const std::uint32_t> which) {
    load(discrete_);
    EventActions& actions = *mode_.kit->board.actions();
    StartValues now{x_, xdot_, std::vector<std::uint8_t>(x_.size(), 0)};
    std::vector<std::vector<double>> values;
    for (const std::uint32_t a : which) {
      values.emplace_back(actions.info(a).targets.size());
      if (!actions.values(a, t_, x_, xdot_, values.back())) return false;
    }
    for (std::size_t k = 0; k < which.size(); ++k) {
      const std::vector<ActionTarget>& targets = actions.info(which[k]).targets;
      for (std::size_t i = 0; i < targets.size(); ++i) {
        (targets[i].is_unknown ? now.x : discrete_)[targets[i].index] = values[k][i];
        if (targets[i].is_unknown) now.x_given[targets[i].index] = 1;
      }
    }
    load(discrete_);
    auto found = mode_.find_start_on_side(t_, now);
    if (!found) return false;
    n_evaluations_ += static_cast<std::uint64_t>(found->n_iterations) + 1;
    x_ = std::move(found->x);
    xdot_ = std::move(found->xdot);
    return true;
  }
  /// Whether these relations are still about to cross, in no more than `soon`, and set off the same actions.
  bool still_set_off(std::span<const std::uint32_t> relations,
                     std::span<const std::uint32_t> actions, double soon) {
    load(discrete_);
    SwitchBoard& board = mode_.kit->board;
    std::vector<double> g(board.count()), rate(board.count());
    if (!board.functions().rates(t_, x_, xdot_, g, rate)) return false;
    const bool come = std::ranges::all_of(relations, [&](std::uint32_t w) {
      const double inside = board.side(w) * g[w] + board.slack(w);
      return board.functions().is_timed(w) || inside <= -board.side(w) * rate[w] * soon;
    });
    return come && std::ranges::equal(board.actions_set_off(relations, t_, x_, xdot_), actions);
  }
  bool is_same_as(const Trial& other) const {
    constexpr double rounding = 1e-9, noticeable = 100.0;  // parts; tolerances
    for (std::size_t k = 0; k < discrete_.size(); ++k) {
      const double size = std::abs(discrete_[k]) + std::abs(other.discrete_[k]);
      if (std::abs(discrete_[k] - other.discrete_[k]) > rounding * size) return false;
    }
    for (std::size_t i = 0; i < x_.size(); ++i) {
      const double tolerance =
          mode_.engine_options.rtol * std::abs(x_[i]) + mode_.engine_options.atol[i];
      if (!(std::abs(x_[i] - other.x_[i]) <= noticeable * tolerance)) return false;
    }
    return true;
  }
  /// The mode is what it was; what this has led to stays here.
  void take_back() {
    load(before_);
    mode_.kit->board.actions()->take_back();
  }
  std::uint64_t n_evaluations() const { return n_evaluations_; }

 private:
  void load(std::span<const double> discrete) {
    std::ranges::copy(discrete, mode_.kit->board.discrete().begin());
  }
  ModeRun& mode_;
  double t_;
  std::vector<double> x_, xdot_, discrete_, before_;
  std::uint64_t n_evaluations_ = 0;
};

/// A set of relations and the actions that their crossing sets off.
struct Cause {
  std::vector<std::uint32_t> relations, actions;
};

/// What cannot be tried: it leads elsewhere.
bool leads_away(const EventActions& actions, std::span<const std::uint32_t> which) {
  return std::ranges::any_of(which, [&](std::uint32_t a) {
    return actions.info(a).terminal || actions.info(a).kind == ActionKind::transition;
  });
}

/// Transitions to the same modes are one, as where they hold together. Those with groups of candidates are of ideal
/// elements: whichever switches first, all combinations are looked at, and the other one switches in any of them.
bool is_one_result(const EventActions& actions, const Cause& one, const Cause& other,
                   std::span<const TransitionInfo> transitions) {
  if (one.actions == other.actions) return true;
  if (one.actions.size() != 1 || other.actions.size() != 1) return false;
  const ActionInfo &a = actions.info(one.actions[0]), &b = actions.info(other.actions[0]);
  if (a.kind != ActionKind::transition || b.kind != ActionKind::transition) return false;
  const TransitionInfo &first = transitions[a.transition], &second = transitions[b.transition];
  return first.candidates == second.candidates ||
         (!first.group_ends.empty() && !second.group_ends.empty());
}

enum class Order : std::uint8_t { same, differs, one_prevents_the_other };

Order compare_orders(ModeRun& mode, const EventPoint& point, const Cause& one, const Cause& other,
                     double error, std::uint64_t& n_evaluations) {
  const double soon = 2 * error;
  Trial ab(mode, point), ba(mode, point);
  bool both = true;
  const auto in_turn = [&](Trial& trial, const Cause& first, const Cause& second) {
    const bool comes = trial.carry_out(first.actions) &&
                       trial.still_set_off(second.relations, second.actions, soon);
    both = both && comes && trial.carry_out(second.actions);
    trial.take_back();
    n_evaluations += trial.n_evaluations();
    return comes;
  };
  if (!in_turn(ab, one, other) || !in_turn(ba, other, one)) return Order::one_prevents_the_other;
  return both && ab.is_same_as(ba) ? Order::same : Order::differs;
}

std::string names_of(const SwitchBoard& board, const Cause& cause) {
  std::vector<std::string> actions, relations;
  for (const std::uint32_t a : cause.actions)
    actions.push_back(quote(board.actions()->info(a).name));
  for (const std::uint32_t w : cause.relations) relations.push_back(board.info(w).name);
  return join(actions, ", ") + " (" + join(relations, ", ") + ")";
}

std::string text_of(const ModeRun& mode, const EventPoint& point, const Cause& one,
                    const Cause& other, const Follow& follow) {
  return "at t = " + to_text(point.t) + " " + names_of(mode.kit->board, one) + " came " +
         two_digits(std::max(follow.after, 0.0)) + " before " + names_of(mode.kit->board, other) +
         ", but the time between them is known to " + two_digits(follow.error) +
         " only: their order is not known at these tolerances, and the result may depend on it. "
         "Smaller tolerances may decide it; write conditions that are meant as one instant with "
         "the same expression";
}

}  // namespace

OrderWatch::Found OrderWatch::look(ModeRun& mode, const EventPoint& point,
                                   std::span<const Crossing> crossings, double stretch_end,
                                   std::span<const TransitionInfo> transitions) {
  Found found;
  std::erase_if(followers_, [&](const Follower& f) { return f.until < point.t; });
  SwitchBoard& board = mode.kit->board;
  if (crossings.empty() || board.actions() == nullptr || !mode.forward()) return found;
  double error_here = 0.0;
  Cause here;
  for (const Crossing& c : crossings) {
    const auto error = time_known_to(mode, c.which);
    if (!error) return found;
    error_here = std::max(error_here, *error);
    here.relations.push_back(c.which);
  }
  auto follow = followers_of(mode, point, crossings, error_here, stretch_end);
  if (follow.empty()) return found;
  std::ranges::stable_sort(follow, {}, &Follow::after);
  here.actions = board.actions_set_off(here.relations, point.t, point.x, point.xdot);
  if (here.actions.empty()) return found;
  const EventActions& actions = *board.actions();
  // Where very many come together, the order of the others is not known.
  constexpr std::size_t most_tried = 32;
  std::size_t n_tried = 0;
  for (const Follow& f : follow) {
    const Cause next{{f.which}, board.actions_set_off({&f.which, 1}, point.t, point.x, point.xdot)};
    if (next.actions.empty() || is_one_result(actions, here, next, transitions)) continue;
    Verdict verdict{.matters = true, .is_open = true};
    const bool leads = leads_away(actions, here.actions) || leads_away(actions, next.actions);
    if (!leads && n_tried++ < most_tried) {
      const Order order = compare_orders(mode, point, here, next, f.error, found.n_evaluations);
      verdict = {order != Order::same, order == Order::one_prevents_the_other};
    }
    if (!verdict.matters) continue;
    const std::string one = names_of(board, here), other = names_of(board, next);
    if (said_.emplace(std::min(one, other), std::max(one, other)).second)
      say(text_of(mode, point, here, next, f), found);
    found.is_open = found.is_open || verdict.is_open;
    followers_.push_back({&mode, f.which, point.t + std::max(f.after, 0.0) + f.error});
  }
  return found;
}

void OrderWatch::say(std::string warning, Found& found) {
  constexpr std::size_t most_said = 10;
  if (said_.size() > most_said + 1) return;
  found.warnings.push_back(said_.size() <= most_said
                               ? std::move(warning)
                               : "the order of more pairs of events is not known at these "
                                 "tolerances; they are marginal");
}

void OrderWatch::mark(const ModeRun& mode, double t, std::span<Crossing> crossings) const {
  for (Crossing& c : crossings) {
    for (const Follower& f : followers_)
      if (f.mode == &mode && f.which == c.which && t <= f.until) c.guarantee = Guarantee::marginal;
  }
}

}  // namespace saltus::detail
