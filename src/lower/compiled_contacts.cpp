#include "lower/compiled_contacts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <saltus/core/text.hpp>

#include "lower/compiled_system.hpp"
#include "lower/compiled_workspace.hpp"

namespace saltus::detail {

namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();
/// Rows whose matrix is conditioned worse depend on each other.
constexpr double dependent = 1e-12;

std::string quoted(const std::string& name) { return "'" + name + "'"; }

}  // namespace

CompiledContacts::CompiledContacts(const ContactPlan& plan, CompiledWorkspace& workspace)
    : plan_(plan),
      workspace_(workspace),
      values_(workspace.evaluator_of(plan.values)),
      accelerations_(workspace.evaluator_of(plan.accelerations)),
      gradients_(workspace.evaluator_of(plan.gradients)),
      kept_gradients_(workspace.evaluator_of(plan.kept_gradients)),
      solver_(plan.motion_pattern, LinearSolverKind::automatic),
      changed_at_(plan.contacts().size(), 0.0),
      touched_(plan.contacts().size()),
      stopped_(plan.contacts().size()) {}

std::optional<std::string> CompiledContacts::decide(Asked asked, double t, std::span<double> x,
                                                    std::span<double> discrete) {
  remark_.clear();
  const std::vector<double> earlier(discrete.begin(), discrete.end());
  Motion motion;
  if (auto said = evaluate(t, x, motion)) return said;
  const auto& contacts = plan_.contacts();
  const bool at_start = before_.empty();
  if (at_start) {
    changed_at_.assign(changed_at_.size(), t);
    if (auto said = check_start(motion)) return said;
  }
  std::vector<Jump> jumps(contacts.size());
  for (std::uint32_t i = 0; i < contacts.size(); ++i) {
    jumps[i] = jump_of(motion, i);
    if (jumps[i].gap > 0 &&
        value(motion, i, ContactPlan::gap) > small(motion, i, ContactPlan::kept_gap))
      asked.touches[i] = asked.stops[i] = 0;
    if (felt(motion, i, jumps[i], discrete).empty()) continue;
    // Forces of a motion that is no more do not tell who gives way, nor does a velocity that has jumped tell who stops.
    asked.separates.assign(contacts.size(), 0);
    asked.gives_way.assign(contacts.size(), 0);
    if (jumps[i].slip != 0) asked.stops[i] = 0;
  }
  if (auto said = check_overlap(motion, jumps)) return said;
  const Resting resting = resting_of(asked, t, motion, discrete);
  std::vector<std::uint32_t> group = touching(asked, resting, motion, jumps, discrete);
  if (auto said = check_directions(motion, group)) return said;

  // Velocities of what stays closed are zero up to the error of the integration.
  std::vector<double> before(2 * group.size(), 0.0);
  double fastest = 0.0;
  bool approaches = false;
  const auto is_put_to_rest = [&](std::uint32_t contact) {
    return contact == asked.rest_of && std::ranges::count(resting.normal, 1) == 1;
  };
  for (std::size_t i = 0; i < group.size(); ++i) {
    const ContactDefinition& c = contacts[group[i]];
    const bool was_closed = c.is_joint || discrete[c.closed] != 0;
    const double rate = value(motion, group[i], ContactPlan::rate);
    const Jump& jump = jumps[group[i]];
    if (at_start && c.is_joint) before[i] = rate;
    if (was_closed) {
      if (jump.rate != 0) before[i] = jump.rate;
    } else if (resting.normal[group[i]] == 0 || jump.rate != 0) {
      before[i] = rate;
    } else if (is_put_to_rest(group[i])) {
      // What brings it to rest are the impacts that are left out, all in one: on the tangent it falls as fast as they all push.
      // Friction under them is one impulse, too. Where the limit came too early it still rises, and nothing is left out.
      before[i] = std::min(rate, 0.0);
    }
    if (c.has_friction()) {
      const double slips_by = value(motion, group[i], ContactPlan::slip);
      // Who has not come further than its slack has not slipped yet.
      const bool is_slow =
          std::abs(slips_by) <=
          (jump.slip != 0 ? small(motion, group[i], ContactPlan::kept_slip)
                          : std::max(least_slack(motion, group[i], ContactPlan::kept_slip),
                                     discrete[c.slack + 1]));
      // What stuck at the last impact would have stuck at those that are left out.
      const bool stuck = is_put_to_rest(group[i]) && touched_[group[i]].sticks;
      const bool rested = asked.stops[group[i]] != 0 || discrete[c.sticks] != 0 ||
                          resting.slip[group[i]] != 0 || stuck;
      const bool still = is_slow || (rested && jump.slip == 0);
      before[group.size() + i] = still ? 0.0 : slips_by;
    }
    if (auto said = check_coefficients(motion, group[i], before[group.size() + i])) return said;
    approaches = approaches || before[i] < 0 || (c.is_joint && before[i] != 0);
    fastest = std::max({fastest, std::abs(before[i]), std::abs(before[group.size() + i])});
  }
  // Without an impact velocities are what they were.
  ContactSolution impact;
  impact.contacts.resize(group.size());
  for (std::size_t i = 0; i < group.size(); ++i) {
    impact.contacts[i].normal_acceleration = before[i];
    impact.contacts[i].tangential_acceleration = before[group.size() + i];
  }
  if (approaches) {
    const std::vector<ContactLaw> laws = laws_of(group, motion, asked);
    const Matrix response = response_of(group, motion);
    auto impulses = contact_impulses({laws, response, {}, {}}, before, plan_.impact_law());
    if (!impulses) return impulses.failure().message;
    impact = std::move(*impulses);
    strike(motion, group, impact, x);
    if (auto said = evaluate(t, x, motion)) return said;
    for (std::size_t i = 0; i < group.size(); ++i) {
      touched_[group[i]].sticks = impact.contacts[i].status == ContactStatus::stick;
      double& normal = impact.contacts[i].normal_acceleration;
      if (normal > 0 && normal <= slowest_hop(asked, motion, discrete, group[i])) normal = 0.0;
    }
  }
  Closed touch = still_closed(group, impact, fastest);
  for (const ContactDefinition& c : contacts) {
    discrete[c.closed] = 0.0;
    if (c.has_friction()) discrete[c.sticks] = discrete[c.direction] = discrete[c.slack + 1] = 0.0;
  }
  const ContactRows& rows = plan_.rows();
  for (std::uint32_t i = 0; i < rows.n; ++i) {
    discrete[rows.first_on + i] = 0.0;
    for (std::uint32_t k = 0; k < rows.n; ++k)
      discrete[rows.first_share + i * rows.n + k] = i == k ? 1.0 : 0.0;
  }
  std::vector<std::optional<double>> sinks(contacts.size());
  if (touch.contacts.empty()) {
    leave_room(motion, earlier, sinks, discrete);
    return std::nullopt;
  }

  auto forces = forces_of(t, asked, motion, touch, x);
  if (!forces) return forces.failure().message;
  const std::vector<std::uint32_t>& closed = touch.contacts;
  const std::vector<double> not_pushed = free_of(closed, motion);
  std::vector<double> free = not_pushed;
  if (push_over(closed, motion, asked, *forces, free)) {
    forces = contact_accelerations(
        {laws_of(closed, motion, asked), response_of(closed, motion), free, touch.slip});
    if (!forces) return forces.failure().message;
  }
  tell_of_choice(closed, *forces);
  write(closed, *forces, discrete);
  // Who gives way a little early is drawn back until the force is exhausted: no longer than this part of the time for
  // which it held.
  constexpr double early = 0.01;
  for (std::size_t i = 0; i < closed.size(); ++i) {
    const ContactDefinition& c = contacts[closed[i]];
    const double time = early * (t - changed_at_[closed[i]]);
    const double apart = forces->contacts[i].normal_acceleration - (free[i] - not_pushed[i]);
    sinks[closed[i]] = std::max(0.0, -apart) * time * time;
    if (!c.has_friction() || discrete[c.direction] == 0) continue;
    const double push = free[closed.size() + i] - not_pushed[closed.size() + i];
    const double onward =
        discrete[c.direction] * (forces->contacts[i].tangential_acceleration - push);
    if (push != 0 && onward < 0) discrete[c.slack + 1] = -onward * time;
    if (touch.slip[i] == 0)
      discrete[c.slack + 1] += std::abs(value(motion, closed[i], ContactPlan::slip)) +
                               least_slack(motion, closed[i], ContactPlan::kept_slip);
  }
  for (const std::uint32_t i : group) changed_at_[i] = t;
  // Those that begin to slip, or part, do so from rest.
  std::vector<std::uint32_t> from_rest;
  for (std::size_t i = 0; i < closed.size(); ++i) {
    if (forces->contacts[i].status == ContactStatus::open)
      from_rest.push_back(contacts[closed[i]].row);
    if (slips(forces->contacts[i].status) && touch.slip[i] == 0)
      from_rest.push_back(contacts[closed[i]].friction_row);
  }
  remove_remains(motion, discrete, from_rest, x);
  const bool closes =
      asked.rest_of != none || std::any_of(asked.touches.begin(), asked.touches.end(),
                                           [](std::uint8_t touches) { return touches != 0; });
  if (closes) {
    if (auto said = close_gaps(t, motion, discrete, x)) return said;
    if (auto said = evaluate(t, x, motion)) return said;
  }
  leave_room(motion, earlier, sinks, discrete);
  return std::nullopt;
}

/// Once for the same contacts: that their motion may not be the only one does not end with the instant.
void CompiledContacts::tell_of_choice(std::span<const std::uint32_t> closed,
                                      const ContactSolution& forces) {
  if (forces.uniqueness == MotionVerdict::proven) return;
  std::vector<std::string> names;
  for (const std::uint32_t i : closed) names.push_back(quoted(plan_.contacts()[i].name));
  const std::string who = join(names, ", ");
  if (!told_of_.insert(who).second) return;
  remark_ += (remark_.empty() ? "" : "; ") + std::string("contacts ") + who + ": ";
  remark_ +=
      forces.uniqueness == MotionVerdict::chosen
          ? "mu_static and mu_kinetic allow several motions, in which different contacts begin to "
            "slip; as many as possible were taken to stick"
          : "several searches found the same motion, but it is not proven to be the only one";
}

/// A contact without restitution that is thrown up no higher than what an impact is located by has not left: its next
/// impact could not be told from this one. (Those that bounce accumulate, which is seen elsewhere.)
double CompiledContacts::slowest_hop(const Asked& asked, const Motion& motion,
                                     std::span<const double> discrete,
                                     std::uint32_t contact) const {
  const ContactDefinition& c = plan_.contacts()[contact];
  if (c.is_joint || value(motion, contact, ContactPlan::restitution) != 0) return 0.0;
  double height = 0.0;
  for (std::uint32_t i = 0; i < plan_.contacts().size(); ++i) {
    if (asked.touches[i] == 0) continue;
    const double at = value(motion, i, ContactPlan::gap) + discrete[plan_.contacts()[i].slack];
    height = std::max(height, std::abs(at));
  }
  return std::sqrt(2.0 * height * std::max(0.0, -motion.free[c.row]));
}

/// A contact opens where its gap is, which integration has moved off zero, and may sink a little before it rises. It
/// touches again only below that, by a few times what it was off.
void CompiledContacts::leave_room(const Motion& motion, std::span<const double> earlier,
                                  std::span<const std::optional<double>> sinks,
                                  std::span<double> discrete) const {
  constexpr double room = 3.0;
  for (std::uint32_t i = 0; i < plan_.contacts().size(); ++i) {
    const ContactDefinition& c = plan_.contacts()[i];
    if (c.is_joint) continue;
    const double gap = value(motion, i, ContactPlan::gap);
    double& slack = discrete[c.slack];
    const bool is_closed = discrete[c.closed] != 0;
    if (!is_closed && (earlier[c.closed] != 0 || sinks[i])) {
      slack = std::max(0.0, -(1.0 + room) * gap) + sinks[i].value_or(0.0) +
              least_slack(motion, i, ContactPlan::kept_gap);
    } else if (is_closed || gap > slack) {
      slack = 0.0;
    }
  }
}

/// Forces with contacts as they are. Where friction jams what slides there are none: an impulse without a collision
/// stops it first, which is told.
Result<ContactSolution> CompiledContacts::forces_of(double t, const Asked& asked, Motion& motion,
                                                    Closed& closed, std::span<double> x) {
  constexpr int most_jams = 5;
  for (int n_jams = 0;; ++n_jams) {
    const std::vector<ContactLaw> laws = laws_of(closed.contacts, motion, asked);
    const Matrix response = response_of(closed.contacts, motion);
    const std::vector<double> free = free_of(closed.contacts, motion);
    const ContactProblem problem{laws, response, free, closed.slip};
    auto forces = contact_accelerations(problem);
    const bool slips =
        std::any_of(closed.slip.begin(), closed.slip.end(), [](double v) { return v != 0; });
    if (forces || !slips || n_jams == most_jams) return forces;
    if (forces.failure().code != FailureCode::not_converged) return forces;
    const auto jam = contact_jam(problem);
    if (!jam)
      return Failure{forces.failure().code,
                     forces.failure().message + "; " + jam.failure().message};
    std::vector<std::string> who;
    double fastest = 0.0;
    for (std::size_t i = 0; i < laws.size(); ++i) {
      if (jam->contacts[i].normal_force > 0 && !laws[i].bilateral)
        who.push_back(quoted(laws[i].name));
      fastest = std::max(fastest, std::abs(closed.slip[i]));
    }
    remark_ += (remark_.empty() ? "" : "; ") + forces.failure().message +
               "; an impulse without a collision at " + join(who, ", ") +
               " stops or turns the slip";
    strike(motion, closed.contacts, *jam, x);
    if (auto said = evaluate(t, x, motion)) return Failure{FailureCode::out_of_domain, *said};
    closed = still_closed(closed.contacts, *jam, fastest);
    if (closed.contacts.empty()) return ContactSolution{};
  }
}

void CompiledContacts::strike(const Motion& motion, std::span<const std::uint32_t> group,
                              const ContactSolution& impulses, std::span<double> x) const {
  for (std::size_t i = 0; i < group.size(); ++i) {
    const ContactDefinition& c = plan_.contacts()[group[i]];
    apply(motion, c.row, impulses.contacts[i].normal_force, x);
    if (c.has_friction()) apply(motion, c.friction_row, impulses.contacts[i].tangential_force, x);
  }
}

/// Who leaves does so with a velocity that rounding does not explain.
CompiledContacts::Closed CompiledContacts::still_closed(std::span<const std::uint32_t> group,
                                                        const ContactSolution& impulses,
                                                        double fastest) const {
  constexpr double rounding = 1e3 * eps;
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

std::vector<double> CompiledContacts::free_of(std::span<const std::uint32_t> group,
                                              const Motion& motion) const {
  std::vector<double> free(2 * group.size(), 0.0);
  for (std::size_t j = 0; j < free.size(); ++j) {
    if (const std::uint32_t row = row_of(group, j); row != none) free[j] = motion.free[row];
  }
  return free;
}

/// An event that a force leads to is located before its surface, by the error of forces between the ends of
/// steps: what holds by so little gives way. The push that does it is as small as what is left of the force.
bool CompiledContacts::push_over(std::span<const std::uint32_t> group, const Motion& motion,
                                 const Asked& asked, const ContactSolution& holding,
                                 std::span<double> free) const {
  double largest = 0.0;
  for (const ContactState& state : holding.contacts)
    largest = std::max({largest, std::abs(state.normal_force), std::abs(state.tangential_force)});
  const auto count = [](const auto& flags) {
    return std::count_if(flags.begin(), flags.end(), [](auto f) { return f != 0; });
  };
  const auto n_causes =
      count(asked.touches) + count(asked.separates) + count(asked.gives_way) + count(asked.stops);
  // With another cause at the same instant it may be that which makes it hold: then more than this is no error.
  constexpr double small = 0.01;
  const double most_left = n_causes > 1 ? small * largest : std::numeric_limits<double>::infinity();
  constexpr double enough = 1.5;
  // What holds by rounding is on its limit, too.
  const double least = 1e-9 * largest;
  bool pushed = false;
  for (std::size_t i = 0; i < group.size(); ++i) {
    const ContactDefinition& c = plan_.contacts()[group[i]];
    const ContactState& state = holding.contacts[i];
    const double normal = state.normal_force;
    if (asked.separates[group[i]] != 0 && state.status != ContactStatus::open &&
        normal <= most_left) {
      free[i] += enough * motion.response(c.row, c.row) * (normal + least);
      pushed = true;
    }
    const double way = asked.gives_way[group[i]];
    if (way == 0 || state.status != ContactStatus::stick) continue;
    const double left =
        value(motion, group[i], ContactPlan::mu_static) * normal + way * state.tangential_force;
    if (left > most_left) continue;
    free[group.size() + i] += enough * way * motion.response(c.friction_row, c.friction_row) *
                              (std::max(left, 0.0) + least);
    pushed = true;
  }
  return pushed;
}

/// Where events of a contact accumulate it is not alone: a brick rocks from foot to foot. What has touched (or stopped)
/// about as lately, and is on a hop as short as those of the others, comes to rest with it.
CompiledContacts::Resting CompiledContacts::resting_of(const Asked& asked, double t,
                                                       const Motion& motion,
                                                       std::span<const double> discrete) {
  const std::size_t n = plan_.contacts().size();
  Resting resting{std::vector<std::uint8_t>(n, 0), std::vector<std::uint8_t>(n, 0)};
  const auto note = [&](LastTimes& times) {
    if (t != times.last) times = {t, times.last};
  };
  for (std::uint32_t i = 0; i < n; ++i) {
    if (asked.touches[i] != 0) note(touched_[i]);
    if (asked.stops[i] != 0) note(stopped_[i]);
  }
  if (asked.rest_of == none) return resting;
  const bool by_slip = stopped_[asked.rest_of].last > touched_[asked.rest_of].last;
  const std::vector<LastTimes>& times = by_slip ? stopped_ : touched_;
  const LastTimes& own = times[asked.rest_of];
  std::vector<std::uint8_t>& rests = by_slip ? resting.slip : resting.normal;
  std::vector<std::uint8_t> pushes(n, 0);
  for (std::uint32_t i = 0; i < n; ++i) {
    const ContactDefinition& c = plan_.contacts()[i];
    pushes[i] = c.is_joint || discrete[c.closed] != 0 || times[i].last >= own.before ? 1 : 0;
  }
  const std::vector<std::uint8_t> felt_by = coupled_with(asked.rest_of, pushes, motion);
  // Series that end together come down to a few of their hops: one is over by then, or as short as the others.
  constexpr double some = 8.0;
  const double soon = some * (t - own.before);
  for (std::uint32_t i = 0; i < n && own.before != LastTimes::never; ++i) {
    if (felt_by[i] == 0 || t - times[i].last > soon) continue;
    rests[i] = (by_slip ? discrete[plan_.contacts()[i].closed] != 0 && times[i].last >= own.before
                        : hop_time(motion, i) <= soon)
                   ? 1
                   : 0;
  }
  rests[asked.rest_of] = 1;
  return resting;
}

/// How long the hop takes that a contact is on, from and to its surface. What lies on it as far as roundings tell is on none.
double CompiledContacts::hop_time(const Motion& motion, std::uint32_t contact) const {
  const double acceleration = std::abs(motion.free[plan_.contacts()[contact].row]);
  const double rate = value(motion, contact, ContactPlan::rate);
  const double gap = value(motion, contact, ContactPlan::gap);
  const double height = gap <= small(motion, contact, ContactPlan::kept_gap) ? 0.0 : gap;
  const double fall = std::sqrt(rate * rate + 2 * acceleration * height);
  return fall == 0 ? 0.0 : 2 * fall / acceleration;
}

/// Contacts that feel a force of this one, directly or through others that push: what bounces for itself does not end
/// with others.
std::vector<std::uint8_t> CompiledContacts::coupled_with(std::uint32_t contact,
                                                         std::span<const std::uint8_t> pushes,
                                                         const Motion& motion) const {
  const auto rows_of = [&](std::uint32_t i) {
    const ContactDefinition& c = plan_.contacts()[i];
    return c.has_friction() ? std::vector<std::uint32_t>{c.row, c.friction_row}
                            : std::vector<std::uint32_t>{c.row};
  };
  const auto feels = [&](std::uint32_t i, std::uint32_t j) {
    return std::ranges::any_of(rows_of(i), [&](std::uint32_t row) {
      return std::ranges::any_of(
          rows_of(j), [&](std::uint32_t column) { return motion.response(row, column) != 0; });
    });
  };
  const auto n = static_cast<std::uint32_t>(plan_.contacts().size());
  std::vector<std::uint8_t> coupled(n, 0);
  std::vector<std::uint32_t> open{contact};
  coupled[contact] = 1;
  while (!open.empty()) {
    const std::uint32_t j = open.back();
    open.pop_back();
    for (std::uint32_t i = 0; i < n; ++i) {
      if (coupled[i] != 0 || !feels(i, j)) continue;
      coupled[i] = 1;
      if (pushes[i] != 0) open.push_back(i);
    }
  }
  return coupled;
}

std::vector<std::uint32_t> CompiledContacts::touching(const Asked& asked, const Resting& resting,
                                                      const Motion& motion,
                                                      std::span<const Jump> jumps,
                                                      std::span<const double> discrete) const {
  std::vector<std::uint32_t> group;
  for (std::uint32_t i = 0; i < plan_.contacts().size(); ++i) {
    const ContactDefinition& c = plan_.contacts()[i];
    const double closed_below = small(motion, i, ContactPlan::kept_gap);
    if (jumps[i].gap > 0 && value(motion, i, ContactPlan::gap) > closed_below) continue;
    const bool touches = c.is_joint || discrete[c.closed] != 0 || asked.touches[i] != 0 ||
                         resting.normal[i] != 0 ||
                         value(motion, i, ContactPlan::gap) + discrete[c.slack] <= closed_below;
    if (touches) group.push_back(i);
  }
  return group;
}

std::vector<ContactLaw> CompiledContacts::laws_of(std::span<const std::uint32_t> group,
                                                  const Motion& motion, const Asked& asked) const {
  std::vector<ContactLaw> laws;
  for (const std::uint32_t i : group) {
    const ContactDefinition& c = plan_.contacts()[i];
    ContactLaw law;
    law.name = c.name;
    law.bilateral = c.is_joint;
    law.frictional = c.has_friction();
    law.mu_kinetic = value(motion, i, ContactPlan::mu_kinetic);
    law.mu_static = std::max(law.mu_kinetic, value(motion, i, ContactPlan::mu_static));
    const bool is_slow = std::abs(value(motion, i, ContactPlan::rate)) < c.rest_velocity;
    law.restitution =
        is_slow || i == asked.rest_of ? 0.0 : value(motion, i, ContactPlan::restitution);
    laws.push_back(std::move(law));
  }
  return laws;
}

std::uint32_t CompiledContacts::row_of(std::span<const std::uint32_t> group, std::size_t j) const {
  const bool is_normal = j < group.size();
  const ContactDefinition& c = plan_.contacts()[group[is_normal ? j : j - group.size()]];
  return is_normal ? c.row : c.friction_row;
}

Matrix CompiledContacts::response_of(std::span<const std::uint32_t> group,
                                     const Motion& motion) const {
  const auto n = static_cast<std::uint32_t>(2 * group.size());
  Matrix response(n, n);
  for (std::uint32_t i = 0; i < n; ++i) {
    const std::uint32_t row = row_of(group, i);
    if (row == none) continue;
    for (std::uint32_t j = 0; j < n; ++j) {
      const std::uint32_t column = row_of(group, j);
      if (column != none) response(i, j) = motion.response(row, column);
    }
  }
  return response;
}

void CompiledContacts::apply(const Motion& motion, std::uint32_t row, double impulse,
                             std::span<double> x) const {
  if (impulse == 0) return;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (plan_.carries_derivative[i]) x[i] += impulse * motion.effect[row][i];
  }
}

void CompiledContacts::write(std::span<const std::uint32_t> group, const ContactSolution& solution,
                             std::span<double> discrete) const {
  const ContactRows& rows = plan_.rows();
  const auto hold = [&](std::uint32_t row) {
    discrete[rows.first_on + row] = 1.0;
    discrete[rows.first_share + row * rows.n + row] = 0.0;
  };
  for (std::size_t i = 0; i < group.size(); ++i) {
    const ContactDefinition& c = plan_.contacts()[group[i]];
    const ContactStatus status = solution.contacts[i].status;
    if (status == ContactStatus::open) continue;
    discrete[c.closed] = 1.0;
    hold(c.row);
    if (status == ContactStatus::stick) {
      discrete[c.sticks] = 1.0;
      hold(c.friction_row);
    } else if (slips(status)) {
      discrete[c.direction] = status == ContactStatus::slip_positive ? 1.0 : -1.0;
    }
  }
  for (const RedundantRow& redundant : solution.redundant) {
    const std::uint32_t row = row_of(group, redundant.row);
    discrete[rows.first_on + row] = 0.0;
    for (std::size_t j = 0; j < redundant.coefficients.size(); ++j) {
      if (const std::uint32_t column = row_of(group, j); column != none)
        discrete[rows.first_share + row * rows.n + column] = redundant.coefficients[j];
    }
  }
}

/// Velocities that (C.1) keeps as they are begin at zero: what integration and location of the event have left of
/// them goes by impulses, in the directions of the forces.
void CompiledContacts::remove_remains(const Motion& motion, std::span<const double> discrete,
                                      std::span<const std::uint32_t> from_rest,
                                      std::span<double> x) const {
  std::vector<double> velocity(plan_.rows().n, 0.0);
  for (std::uint32_t i = 0; i < plan_.contacts().size(); ++i) {
    const ContactDefinition& c = plan_.contacts()[i];
    velocity[c.row] = value(motion, i, ContactPlan::rate);
    if (c.has_friction()) velocity[c.friction_row] = value(motion, i, ContactPlan::slip);
  }
  auto impulse = held_back(motion, discrete, from_rest, velocity);
  // They may depend on what is held.
  if (!impulse) impulse = held_back(motion, discrete, {}, velocity);
  for (std::uint32_t row = 0; impulse && row < impulse->size(); ++row)
    apply(motion, row, (*impulse)[row], x);
}

/// Where a contact touches, or impacts have accumulated, a gap is left that nobody can tell from none. Positions go the
/// way on which impulses would send them; else what is left would add up from touch to touch.
std::optional<std::string> CompiledContacts::close_gaps(double t, const Motion& motion,
                                                        std::span<const double> discrete,
                                                        std::span<double> x) {
  std::vector<double> gaps(plan_.rows().n, 0.0);
  for (std::uint32_t i = 0; i < plan_.contacts().size(); ++i)
    gaps[plan_.contacts()[i].row] = value(motion, i, ContactPlan::gap);
  const auto impulse = held_back(motion, discrete, {}, gaps);
  if (!impulse) return std::nullopt;
  std::vector<double> moved(x.begin(), x.end());
  for (std::uint32_t row = 0; row < impulse->size(); ++row)
    apply(motion, row, (*impulse)[row], moved);
  Motion other;
  if (auto said = evaluate(t, x, other)) return said;
  const std::vector<double> rest = xdot_;
  if (auto said = evaluate(t, moved, other)) return said;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const bool is_position =
        plan_.carries_derivative[i] &&
        std::all_of(motion.effect.begin(), motion.effect.end(),
                    [&](const std::vector<double>& effect) { return effect[i] == 0; });
    if (is_position) x[i] += xdot_[i] - rest[i];
  }
  return std::nullopt;
}

/// Impulses of what is held, and of further rows, that take away the given velocities, by row; nothing if rows
/// depend on each other.
std::optional<std::vector<double>> CompiledContacts::held_back(
    const Motion& motion, std::span<const double> discrete, std::span<const std::uint32_t> further,
    std::span<const double> velocity) const {
  const ContactRows& rows = plan_.rows();
  std::vector<std::uint32_t> held;
  std::vector<double> impulse, by_row(rows.n, 0.0);
  for (std::uint32_t row = 0; row < rows.n; ++row) {
    const bool is_further = std::find(further.begin(), further.end(), row) != further.end();
    if (discrete[rows.first_on + row] == 0 && !is_further) continue;
    held.push_back(row);
    impulse.push_back(-velocity[row]);
  }
  const auto n = static_cast<index_t>(held.size());
  CscPattern full{n, n, {0}, {}};
  std::vector<double> entries;
  for (const std::uint32_t column : held) {
    for (index_t i = 0; i < n; ++i) {
      full.row.push_back(i);
      entries.push_back(motion.response(held[static_cast<std::size_t>(i)], column));
    }
    full.column_start.push_back(full.nnz());
  }
  LinearSolver<double> solver(full, LinearSolverKind::dense);
  if (held.empty()) return by_row;
  if (!solver.factor(entries) || solver.reciprocal_condition() < dependent) return std::nullopt;
  solver.solve(impulse);
  for (std::size_t i = 0; i < held.size(); ++i) by_row[held[i]] = impulse[i];
  return by_row;
}

/// A run begins where its contacts may be.
std::optional<std::string> CompiledContacts::check_start(const Motion& motion) const {
  for (std::uint32_t i = 0; i < plan_.contacts().size(); ++i) {
    const ContactDefinition& c = plan_.contacts()[i];
    const double gap = value(motion, i, ContactPlan::gap);
    const double closed_below = small(motion, i, ContactPlan::kept_gap);
    if (gap >= -closed_below && (!c.is_joint || gap <= closed_below)) continue;
    return (c.is_joint ? "joint " : "contact ") + quoted(c.name) + " begins with a gap of " +
           to_text(gap) + (c.is_joint ? ": it must be 0" : ": bodies would overlap") +
           "; change the start values of positions";
  }
  return std::nullopt;
}

/// What sticks holds at least as much as what slips; at other velocities a law may say what it likes.
std::optional<std::string> CompiledContacts::check_coefficients(const Motion& motion,
                                                                std::uint32_t contact,
                                                                double slips_by) const {
  const ContactDefinition& c = plan_.contacts()[contact];
  if (!c.has_friction() || slips_by != 0) return std::nullopt;
  const double kinetic = value(motion, contact, ContactPlan::mu_kinetic);
  const double held = value(motion, contact, ContactPlan::mu_static);
  constexpr double same = 1e-6;  // at rest up to the error of an event
  if (held >= (1.0 - same) * kinetic) return std::nullopt;
  return "friction " + quoted(c.friction_name) + " has a mu_static of " + to_text(held) +
         " at rest, below its mu_kinetic of " + to_text(kinetic);
}

std::optional<std::string> CompiledContacts::check_directions(
    const Motion& motion, std::span<const std::uint32_t> group) const {
  for (const std::uint32_t i : group) {
    const ContactDefinition& c = plan_.contacts()[i];
    const auto check = [&](std::uint32_t row, const std::string& who,
                           const std::string& what) -> std::optional<std::string> {
      const double w = motion.response(row, row);
      if (w > 0) return std::nullopt;
      return who + (w < 0
                        ? " acts the wrong way: it makes the " + what + " smaller (by " +
                              to_text(-w) + " per unit of force), change its sign in the equations"
                        : " has no effect on the " + what +
                              ": does the equation of motion contain "
                              "its force?");
    };
    if (auto said = check(c.row, "contact " + quoted(c.name), "acceleration of its gap"))
      return said;
    if (!c.has_friction()) continue;
    if (auto said = check(c.friction_row, "friction " + quoted(c.friction_name),
                          "acceleration of its slip"))
      return said;
  }
  return std::nullopt;
}

std::optional<std::string> CompiledContacts::check_finite(const Motion& motion,
                                                          std::span<const double> gradient) const {
  const auto first_of = [](std::span<const double> values) {
    const auto found = std::ranges::find_if_not(values, [](double v) { return std::isfinite(v); });
    return static_cast<std::size_t>(found - values.begin());
  };
  if (const std::size_t k = first_of(motion.values); k < motion.values.size()) {
    constexpr const char* what[ContactPlan::n_values] = {
        "the gap",  "the velocity of the gap", "the restitution", "the slip velocity", "mu_kinetic",
        "mu_static"};
    const ContactDefinition& c = plan_.contacts()[k / ContactPlan::n_values];
    return std::string(what[k % ContactPlan::n_values]) + " of contact " + quoted(c.name) +
           " is not a number";
  }
  const std::size_t row = first_of(motion.free);
  for (const ContactDefinition& c : plan_.contacts()) {
    if (row == c.row || (c.has_friction() && row == c.friction_row))
      return "an acceleration of contact " + quoted(c.name) + " is not a number";
  }
  if (first_of(gradient) < gradient.size())
    return "a derivative of a gap or of a slip is not a number";
  return std::nullopt;
}

std::optional<std::string> CompiledContacts::evaluate(double t, std::span<const double> x,
                                                      Motion& motion) {
  const CompiledSystem& system = workspace_.system();
  const std::size_t n = x.size(), nnz = static_cast<std::size_t>(system.pattern().nnz());
  xdot_.assign(n, 0.0);
  const auto fails = [&](const Evaluation& e) {
    return "equation " + quoted(system.equation_name(e.row())) + " cannot be evaluated";
  };
  std::vector<double> point(x.begin(), x.end());
  for (const std::uint32_t force : plan_.forces) point[force] = 0.0;
  for (std::size_t j = 0; j < n; ++j) {
    if (!plan_.carries_derivative[j]) point[j] = 0.0;
  }
  // Motion without forces: linear in x' and in what is algebraic, else the residual does not vanish.
  residual_.resize(system.n_equations());
  std::vector<double> rhs(plan_.motion_rows.size());
  const auto load_residual = [&]() -> std::optional<std::string> {
    if (const Evaluation e = workspace_.residual(t, point, xdot_, residual_); !e) return fails(e);
    for (std::size_t i = 0; i < rhs.size(); ++i) rhs[i] = -residual_[plan_.motion_rows[i]];
    return std::nullopt;
  };
  constexpr int most_iterations = 3;
  double first = 0.0, last = 0.0;
  for (int iteration = 0; iteration < most_iterations; ++iteration) {
    if (auto said = load_residual()) return said;
    last = 0.0;
    for (const double r : rhs) last = std::max(last, std::abs(r));
    if (iteration == 0) first = last;
    if (iteration > 0 && last <= 1e4 * eps * first) break;
    df_dx_.resize(nnz);
    df_dxdot_.resize(nnz);
    if (const Evaluation e = workspace_.jacobian(t, point, xdot_, df_dx_, df_dxdot_); !e)
      return fails(e);
    matrix_.clear();
    for (const ContactPlan::Source& s : plan_.motion_sources)
      matrix_.push_back(s.of_xdot ? df_dxdot_[s.slot] : df_dx_[s.slot]);
    if (!solver_.factor(matrix_)) {
      const auto column = static_cast<std::size_t>(solver_.singular_column());
      return "the equations do not determine the derivative of " +
             quoted(system.unknown_name(plan_.motion_unknowns[column])) +
             " from given forces of contacts (write constraints as joints)";
    }
    solver_.solve(rhs);
    for (std::size_t k = 0; k < rhs.size(); ++k) {
      const std::uint32_t j = plan_.motion_unknowns[k];
      (plan_.carries_derivative[j] ? xdot_[j] : point[j]) += rhs[k];
    }
  }
  const auto values_at = [&](Points& points) {
    workspace_.run_at_event(points, t, point, xdot_);
    const auto out = points.evaluator.outputs();
    return std::vector<double>(out.begin(), out.end());
  };
  motion.values = values_at(values_);
  std::vector<double> nominal(n);
  for (std::uint32_t j = 0; j < n; ++j) nominal[j] = system.nominal(j);
  motion.scales = kept_sizes(t, point, xdot_, nominal, Over::largest);
  motion.free = values_at(accelerations_);
  const std::vector<double> gradient = values_at(gradients_);
  if (auto said = check_finite(motion, gradient)) return said;
  const ContactRows& rows = plan_.rows();
  motion.effect.assign(rows.n, {});
  motion.response = Matrix(rows.n, rows.n);
  for (std::uint32_t k = 0; k < rows.n; ++k) {
    std::fill(rhs.begin(), rhs.end(), 0.0);
    for (const ContactPlan::Effect& e : plan_.effects[k]) rhs[e.row] -= df_dx_[e.slot];
    solver_.solve(rhs);
    std::vector<double>& effect = motion.effect[k];
    effect.assign(n, 0.0);
    for (std::size_t i = 0; i < rhs.size(); ++i) effect[plan_.motion_unknowns[i]] = rhs[i];
    const CscPattern& p = plan_.gradient_pattern;
    for (std::size_t j = 0; j < n; ++j) {
      if (!plan_.carries_derivative[j]) continue;
      for (auto s = static_cast<std::size_t>(p.column_start[j]);
           s < static_cast<std::size_t>(p.column_start[j + 1]); ++s)
        motion.response(static_cast<std::size_t>(p.row[s]), k) += gradient[s] * effect[j];
    }
  }
  return std::nullopt;
}

}  // namespace saltus::detail
