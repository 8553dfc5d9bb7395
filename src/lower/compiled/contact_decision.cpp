#include "lower/compiled/contact_decision.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <saltus/core/text.hpp>

#include "lower/compiled/contact_checks.hpp"
#include "lower/compiled/contact_drift.hpp"

namespace saltus::detail {

namespace {

template <class Flags>
std::ptrdiff_t n_set(const Flags& flags) {
  return std::count_if(flags.begin(), flags.end(), [](auto flag) { return flag != 0; });
}

}  // namespace

ContactDecision::ContactDecision(ContactReading& reading, const ContactJumps& jumps,
                                 ContactSeries& series, ContactEvent event, double t,
                                 std::span<double> x, std::span<double> discrete)
    : reading_(reading),
      before_(jumps),
      series_(series),
      event_(std::move(event)),
      t_(t),
      x_(x),
      discrete_(discrete),
      earlier_(discrete.begin(), discrete.end()),
      motion_(reading.plan()) {}

std::optional<MotionVerdict> ContactDecision::uniqueness() const {
  return forces_ ? std::optional(forces_->uniqueness) : std::nullopt;
}

std::optional<std::string> ContactDecision::make() {
  if (auto said = read()) return said;
  Velocities before;
  if (auto said = find_velocities(before)) return said;
  if (auto said = collide(before)) return said;
  open_all();
  if (!closed_.contacts.empty()) return close();
  leave_room(std::vector<std::optional<double>>(plan().contacts().size()));
  return std::nullopt;
}

// ---- what touches --------------------------------------------------------------------------------------

std::optional<std::string> ContactDecision::read() {
  if (auto said = reading_.evaluate(t_, x_, motion_)) return said;
  if (before_.is_start()) {
    series_.begin(t_);
    if (auto said = check_start(plan(), motion_)) return said;
  }
  withdraw_what_jumps_contradict();
  if (auto said = before_.check_overlap(motion_, jumps_)) return said;
  series_.note(event_, t_);
  resting_ = series_.resting(event_, t_, motion_, discrete_);
  group_ = touching();
  return check_directions(plan(), motion_, group_);
}

void ContactDecision::withdraw_what_jumps_contradict() {
  const std::size_t n = plan().contacts().size();
  jumps_.resize(n);
  for (std::uint32_t i = 0; i < n; ++i) {
    jumps_[i] = before_.of(motion_, i);
    if (jumps_[i].gap > 0 &&
        motion_.value(i, ContactPlan::gap) > motion_.small(i, ContactPlan::kept_gap))
      event_.touches[i] = event_.stops[i] = 0;
    if (before_.felt(motion_, i, jumps_[i], discrete_).empty()) continue;
    // Forces of a motion that is no more do not tell who gives way, nor does a velocity that has jumped tell who stops.
    event_.separates.assign(n, 0);
    event_.gives_way.assign(n, 0);
    if (jumps_[i].slip != 0) event_.stops[i] = 0;
  }
}

std::vector<std::uint32_t> ContactDecision::touching() const {
  std::vector<std::uint32_t> group;
  for (std::uint32_t i = 0; i < plan().contacts().size(); ++i) {
    const ContactDefinition& c = plan().contacts()[i];
    const double closed_below = motion_.small(i, ContactPlan::kept_gap);
    const double gap = motion_.value(i, ContactPlan::gap);
    if (jumps_[i].gap > 0 && gap > closed_below) continue;
    const bool touches = c.is_joint || discrete_[c.closed] != 0 || event_.touches[i] != 0 ||
                         resting_.normal[i] != 0 || gap + discrete_[c.slack] <= closed_below;
    if (touches) group.push_back(i);
  }
  return group;
}

// ---- velocities and impacts ----------------------------------------------------------------------------

/// Velocities of what stays closed are zero up to the error of the integration.
std::optional<std::string> ContactDecision::find_velocities(Velocities& before) const {
  before.of_group.assign(2 * group_.size(), 0.0);
  for (std::size_t i = 0; i < group_.size(); ++i) {
    const ContactDefinition& c = plan().contacts()[group_[i]];
    double &normal = before.of_group[i], &slip = before.of_group[group_.size() + i];
    normal = normal_velocity(group_[i]);
    if (c.has_friction()) slip = slip_velocity(group_[i]);
    if (auto said = check_coefficients(plan(), motion_, group_[i], slip)) return said;
    before.approaches = before.approaches || normal < 0 || (c.is_joint && normal != 0);
    before.fastest = std::max({before.fastest, std::abs(normal), std::abs(slip)});
  }
  return std::nullopt;
}

bool ContactDecision::is_put_to_rest(std::uint32_t contact) const {
  return contact == event_.rest_of && std::ranges::count(resting_.normal, 1) == 1;
}

double ContactDecision::normal_velocity(std::uint32_t contact) const {
  const ContactDefinition& c = plan().contacts()[contact];
  const double rate = motion_.value(contact, ContactPlan::rate), jump = jumps_[contact].rate;
  const bool was_closed = c.is_joint || discrete_[c.closed] != 0;
  if (was_closed && jump != 0) return jump;
  if (was_closed) return before_.is_start() && c.is_joint ? rate : 0.0;
  if (resting_.normal[contact] == 0 || jump != 0) return rate;
  // What brings it to rest are the impacts that are left out, all in one: on the tangent it falls as fast as they all push.
  // Friction under them is one impulse, too. Where the limit came too early it still rises, and nothing is left out.
  return is_put_to_rest(contact) ? std::min(rate, 0.0) : 0.0;
}

double ContactDecision::slip_velocity(std::uint32_t contact) const {
  const ContactDefinition& c = plan().contacts()[contact];
  const double slips_by = motion_.value(contact, ContactPlan::slip);
  const bool has_jumped = jumps_[contact].slip != 0;
  // Who has not come further than its slack has not slipped yet.
  const bool is_slow = std::abs(slips_by) <=
                       (has_jumped ? motion_.small(contact, ContactPlan::kept_slip)
                                   : std::max(motion_.least_slack(contact, ContactPlan::kept_slip),
                                              discrete_[c.slack + 1]));
  // What stuck at the last impact would have stuck at those that are left out.
  const bool stuck = is_put_to_rest(contact) && series_.stuck(contact);
  const bool rested = event_.stops[contact] != 0 || discrete_[c.sticks] != 0 ||
                      resting_.slip[contact] != 0 || stuck;
  return is_slow || (rested && !has_jumped) ? 0.0 : slips_by;
}

/// Without an impact velocities are what they were.
std::optional<std::string> ContactDecision::collide(const Velocities& before) {
  ContactSolution impact;
  impact.contacts.resize(group_.size());
  for (std::size_t i = 0; i < group_.size(); ++i) {
    impact.contacts[i].normal_acceleration = before.of_group[i];
    impact.contacts[i].tangential_acceleration = before.of_group[group_.size() + i];
  }
  if (before.approaches) {
    const std::vector<ContactLaw> laws = motion_.laws_of(group_, event_);
    const Matrix response = motion_.response_of(group_);
    auto impulses =
        contact_impulses({laws, response, {}, {}}, before.of_group, plan().impact_law());
    if (!impulses) return impulses.failure().message;
    impact = std::move(*impulses);
    motion_.strike(group_, impact, x_);
    if (auto said = reading_.evaluate(t_, x_, motion_)) return said;
    for (std::size_t i = 0; i < group_.size(); ++i) {
      series_.note_stuck(group_[i], impact.contacts[i].status == ContactStatus::stick);
      double& normal = impact.contacts[i].normal_acceleration;
      if (normal > 0 && normal <= slowest_hop(group_[i])) normal = 0.0;
    }
  }
  closed_ = still_closed(group_, impact, before.fastest);
  return std::nullopt;
}

/// A contact without restitution that is thrown up no higher than what an impact is located by has not left: its next
/// impact could not be told from this one. (Those that bounce accumulate, which is seen elsewhere.)
double ContactDecision::slowest_hop(std::uint32_t contact) const {
  const ContactDefinition& c = plan().contacts()[contact];
  if (c.is_joint || motion_.value(contact, ContactPlan::restitution) != 0) return 0.0;
  double height = 0.0;
  for (std::uint32_t i = 0; i < plan().contacts().size(); ++i) {
    if (event_.touches[i] == 0) continue;
    const double at = motion_.value(i, ContactPlan::gap) + discrete_[plan().contacts()[i].slack];
    height = std::max(height, std::abs(at));
  }
  return std::sqrt(2.0 * height * std::max(0.0, -motion_.free[c.row]));
}

/// Who leaves does so with a velocity that rounding does not explain.
ContactDecision::Closed ContactDecision::still_closed(ContactMotion::Group group,
                                                      const ContactSolution& impulses,
                                                      double fastest) {
  constexpr double rounding = 1e3 * std::numeric_limits<double>::epsilon();
  Closed closed;
  for (std::size_t i = 0; i < group.size(); ++i) {
    const ContactState& state = impulses.contacts[i];
    if (state.normal_acceleration > rounding * fastest) continue;
    closed.contacts.push_back(group[i]);
    closed.slip.push_back(state.status == ContactStatus::stick ? 0.0
                                                               : state.tangential_acceleration);
  }
  return closed;
}

void ContactDecision::open_all() {
  for (const ContactDefinition& c : plan().contacts()) {
    discrete_[c.closed] = 0.0;
    if (c.has_friction())
      discrete_[c.sticks] = discrete_[c.direction] = discrete_[c.slack + 1] = 0.0;
  }
  const ContactRows& rows = plan().rows();
  for (std::uint32_t i = 0; i < rows.n; ++i) {
    discrete_[rows.first_on + i] = 0.0;
    for (std::uint32_t k = 0; k < rows.n; ++k)
      discrete_[rows.first_share + i * rows.n + k] = i == k ? 1.0 : 0.0;
  }
}

// ---- forces ---------------------------------------------------------------------------------------------

std::optional<std::string> ContactDecision::close() {
  auto forces = forces_after_jams();
  if (!forces) return forces.failure().message;
  const std::vector<double> not_pushed = motion_.free_of(closed_.contacts);
  std::vector<double> push = not_pushed;
  if (push_over(*forces, push)) {
    forces = contact_accelerations({motion_.laws_of(closed_.contacts, event_),
                                    motion_.response_of(closed_.contacts), push, closed_.slip});
    if (!forces) return forces.failure().message;
  }
  for (std::size_t i = 0; i < push.size(); ++i) push[i] -= not_pushed[i];
  forces_ = std::move(*forces);
  write();
  std::vector<std::optional<double>> sinks(plan().contacts().size());
  let_sink(push, sinks);
  for (const std::uint32_t i : group_) series_.note_change(i, t_);
  if (auto said = begin_from_rest()) return said;
  leave_room(sinks);
  return std::nullopt;
}

/// Forces with contacts as they are. Where friction jams what slides there are none: an impulse without a collision
/// stops it first, which is told.
Result<ContactSolution> ContactDecision::forces_after_jams() {
  constexpr int most_jams = 5;
  for (int n_jams = 0;; ++n_jams) {
    const std::vector<ContactLaw> laws = motion_.laws_of(closed_.contacts, event_);
    const Matrix response = motion_.response_of(closed_.contacts);
    const std::vector<double> free = motion_.free_of(closed_.contacts);
    const ContactProblem problem{laws, response, free, closed_.slip};
    auto forces = contact_accelerations(problem);
    if (forces || n_set(closed_.slip) == 0 || n_jams == most_jams) return forces;
    if (forces.failure().code != FailureCode::not_converged) return forces;
    const auto jam = contact_jam(problem);
    if (!jam)
      return Failure{forces.failure().code,
                     forces.failure().message + "; " + jam.failure().message};
    std::vector<std::string> who;
    double fastest = 0.0;
    for (std::size_t i = 0; i < laws.size(); ++i) {
      if (jam->contacts[i].normal_force > 0 && !laws[i].bilateral)
        who.push_back(quote(laws[i].name));
      fastest = std::max(fastest, std::abs(closed_.slip[i]));
    }
    remark_ += (remark_.empty() ? "" : "; ") + forces.failure().message +
               "; an impulse without a collision at " + join(who, ", ") +
               " stops or turns the slip";
    motion_.strike(closed_.contacts, *jam, x_);
    if (auto said = reading_.evaluate(t_, x_, motion_))
      return Failure{FailureCode::out_of_domain, *said};
    closed_ = still_closed(closed_.contacts, *jam, fastest);
    if (closed_.contacts.empty()) return ContactSolution{};
  }
}

/// An event that a force leads to is located before its surface, by the error of forces between the ends of
/// steps: what holds by so little gives way. The push that does it is as small as what is left of the force.
bool ContactDecision::push_over(const ContactSolution& holding, std::span<double> free) const {
  double largest = 0.0;
  for (const ContactState& state : holding.contacts)
    largest = std::max({largest, std::abs(state.normal_force), std::abs(state.tangential_force)});
  const auto n_causes = n_set(event_.touches) + n_set(event_.separates) + n_set(event_.gives_way) +
                        n_set(event_.stops);
  // With another cause at the same instant it may be that which makes it hold: then more than this is no error.
  constexpr double small = 0.01;
  const double most_left = n_causes > 1 ? small * largest : std::numeric_limits<double>::infinity();
  constexpr double enough = 1.5;
  // What holds by rounding is on its limit, too.
  const double least = 1e-9 * largest;
  const ContactMotion::Group group = closed_.contacts;
  bool pushed = false;
  for (std::size_t i = 0; i < group.size(); ++i) {
    const ContactDefinition& c = plan().contacts()[group[i]];
    const ContactState& state = holding.contacts[i];
    const double normal = state.normal_force;
    if (event_.separates[group[i]] != 0 && state.status != ContactStatus::open &&
        normal <= most_left) {
      free[i] += enough * motion_.response(c.row, c.row) * (normal + least);
      pushed = true;
    }
    const double way = event_.gives_way[group[i]];
    if (way == 0 || state.status != ContactStatus::stick) continue;
    const double left =
        motion_.value(group[i], ContactPlan::mu_static) * normal + way * state.tangential_force;
    if (left > most_left) continue;
    free[group.size() + i] += enough * way * motion_.response(c.friction_row, c.friction_row) *
                              (std::max(left, 0.0) + least);
    pushed = true;
  }
  return pushed;
}

void ContactDecision::write() {
  const ContactRows& rows = plan().rows();
  const ContactMotion::Group group = closed_.contacts;
  const auto hold = [&](std::uint32_t row) {
    discrete_[rows.first_on + row] = 1.0;
    discrete_[rows.first_share + row * rows.n + row] = 0.0;
  };
  for (std::size_t i = 0; i < group.size(); ++i) {
    const ContactDefinition& c = plan().contacts()[group[i]];
    const ContactStatus status = forces_->contacts[i].status;
    if (status == ContactStatus::open) continue;
    discrete_[c.closed] = 1.0;
    hold(c.row);
    if (status == ContactStatus::stick) {
      discrete_[c.sticks] = 1.0;
      hold(c.friction_row);
    } else if (slips(status)) {
      discrete_[c.direction] = status == ContactStatus::slip_positive ? 1.0 : -1.0;
    }
  }
  for (const RedundantRow& redundant : forces_->redundant) {
    const std::uint32_t row = motion_.row_of(group, redundant.row);
    discrete_[rows.first_on + row] = 0.0;
    for (std::size_t j = 0; j < redundant.coefficients.size(); ++j) {
      if (const std::uint32_t column = motion_.row_of(group, j); column != none)
        discrete_[rows.first_share + row * rows.n + column] = redundant.coefficients[j];
    }
  }
}

// ---- room for what is off ---------------------------------------------------------------------------------

/// Who gives way a little early is drawn back until the force is exhausted: no longer than this part of the time for
/// which it held.
void ContactDecision::let_sink(std::span<const double> push,
                               std::span<std::optional<double>> sinks) {
  constexpr double early = 0.01;
  const ContactMotion::Group group = closed_.contacts;
  for (std::size_t i = 0; i < group.size(); ++i) {
    const ContactDefinition& c = plan().contacts()[group[i]];
    const ContactState& state = forces_->contacts[i];
    const double time = early * (t_ - series_.changed_at(group[i]));
    const double apart = state.normal_acceleration - push[i];
    sinks[group[i]] = std::max(0.0, -apart) * time * time;
    if (!c.has_friction() || discrete_[c.direction] == 0) continue;
    const double along = push[group.size() + i];
    const double onward = discrete_[c.direction] * (state.tangential_acceleration - along);
    if (along != 0 && onward < 0) discrete_[c.slack + 1] = -onward * time;
    if (closed_.slip[i] == 0)
      discrete_[c.slack + 1] += std::abs(motion_.value(group[i], ContactPlan::slip)) +
                                motion_.least_slack(group[i], ContactPlan::kept_slip);
  }
}

/// Those that begin to slip, or part, do so from rest; gaps that have closed are none.
std::optional<std::string> ContactDecision::begin_from_rest() {
  std::vector<std::uint32_t> from_rest;
  for (std::size_t i = 0; i < closed_.contacts.size(); ++i) {
    const ContactDefinition& c = plan().contacts()[closed_.contacts[i]];
    const ContactStatus status = forces_->contacts[i].status;
    if (status == ContactStatus::open) from_rest.push_back(c.row);
    if (slips(status) && closed_.slip[i] == 0) from_rest.push_back(c.friction_row);
  }
  remove_remains(plan(), motion_, discrete_, from_rest, x_);
  if (event_.rest_of == none && n_set(event_.touches) == 0) return std::nullopt;
  if (auto said = close_gaps(reading_, t_, motion_, discrete_, x_)) return said;
  return reading_.evaluate(t_, x_, motion_);
}

/// A contact opens where its gap is, which integration has moved off zero, and may sink a little before it rises. It
/// touches again only below that, by a few times what it was off.
void ContactDecision::leave_room(std::span<const std::optional<double>> sinks) {
  constexpr double room = 3.0;
  for (std::uint32_t i = 0; i < plan().contacts().size(); ++i) {
    const ContactDefinition& c = plan().contacts()[i];
    if (c.is_joint) continue;
    const double gap = motion_.value(i, ContactPlan::gap);
    double& slack = discrete_[c.slack];
    const bool is_closed = discrete_[c.closed] != 0;
    if (!is_closed && (earlier_[c.closed] != 0 || sinks[i])) {
      slack = std::max(0.0, -(1.0 + room) * gap) + sinks[i].value_or(0.0) +
              motion_.least_slack(i, ContactPlan::kept_gap);
    } else if (is_closed || gap > slack) {
      slack = 0.0;
    }
  }
}

}  // namespace saltus::detail
