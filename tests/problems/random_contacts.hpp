// Random planar mechanics with contacts: bodies, joints, loads, velocities.
//
// The distribution. A pile of convex bodies of radius 0.3 to 3 is built up until it has 1 to 20 contacts and joint
// rows. Masses of a pile are within a factor of 30 of each other; in every fifth one they are between 1e-3 and 1e6.
// A third of the bodies are discs (inertia m r^2 / 2), the others have 0.2 to 0.6 m r^2 (a square has 0.33).
//  - A body stands on the floor with a flat face (1 to 4 contacts on a line: from three on, or with friction from two
//    on, redundant) or lies on 1 or 2 bodies below it (normals 30 to 150 degrees); one of four leans against a wall too
//    (vertical or up to 30 degrees less steep). Two bodies touch in a point or, three times of ten, along a face (two
//    points). A contact lies on the rim, of discs in the direction of the normal, of others up to 45 degrees from it (as
//    far as the corner of a square). Every tenth one stands twice.
//  - A quarter are linkages instead: a chain of pinned bodies (every tenth pin stands twice), the first one pinned to
//    the ground or free, touching floor or walls with about every second body.
//  - mu_k is uniform in (0, 1) at four contacts of five (a fifth has no friction); at three of ten of these mu_s
//    is larger, by up to a half (and at most 1).
//  - Loads: gravity, and a force and a torque on every body of up to its weight.
//  - Three of five problems are on accelerations, half of them from rest. In the others velocities are random, made to
//    obey all normals, joints and the tangents of some contacts, which may stick; all others with a velocity slide.
//    Accelerations that come from velocities (omega^2 r) are added where a body turns.
//  - Impulses: three times of four one contact strikes while all others keep their normal velocity 0, else all velocities
//    are random and everything comes together at once. Restitution is 0 or, in half of them, one number in (0, 1)
//    for all.
// Shares are as first written down. Shapes were restricted after a first look: bodies had touched each other and
// the floor several times with different normals and friction, pins had been put into piles, walls had hung over, contacts had been
// up to 60 degrees off, and all contacts had struck at once. That refused 9 %.
#pragma once

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include <saltus/contact.hpp>

namespace saltus::problems {

/// Accelerations of a contact that come of the turning of a body: -omega^2 r along normal and tangent.
struct ContactTurning {
  std::size_t body;
  double normal, tangential;
};

struct RandomContacts {
  std::uint64_t seed = 0;
  std::vector<ContactLaw> laws;
  /// Rows: normals, then tangents; columns: x, y and angle of every body.
  std::vector<std::vector<double>> h;
  std::vector<double> mass;
  std::vector<double> velocity, acceleration;  // of bodies, without contacts
  std::vector<std::vector<ContactTurning>> turning;
  Matrix response;
  std::vector<double> free;
  std::vector<double> slip_velocity;
  std::vector<double> velocity_before;  // of contacts
  bool impulses = false;
  bool restitution = false;

  std::size_t n() const { return laws.size(); }
  ContactProblem problem() const { return {laws, response, free, slip_velocity}; }
  double along(std::size_t row, const std::vector<double>& x) const {
    double sum = 0.0;
    for (std::size_t l = 0; l < x.size(); ++l) sum += h[row][l] * x[l];
    return sum;
  }
  void gather_response() {
    response = Matrix(static_cast<std::uint32_t>(h.size()), static_cast<std::uint32_t>(h.size()));
    for (std::size_t i = 0; i < h.size(); ++i) {
      for (std::size_t j = 0; j < h.size(); ++j) {
        for (std::size_t l = 0; l < mass.size(); ++l) response(i, j) += h[i][l] * h[j][l] / mass[l];
      }
    }
  }
  /// From accelerations and velocities of bodies.
  void gather_free() {
    for (std::size_t i = 0; i < n(); ++i) {
      free[i] = along(i, acceleration);
      free[n() + i] = along(n() + i, acceleration);
      for (const ContactTurning& t : turning[i]) {
        const double omega = velocity[3 * t.body + 2];
        free[i] += t.normal * omega * omega;
        if (laws[i].frictional) free[n() + i] += t.tangential * omega * omega;
      }
    }
  }
};

/// The impulses without collision that are asked for where friction jams what slides, as impulses: plastic, from
/// the velocities of before.
inline RandomContacts jam_of(RandomContacts p) {
  p.impulses = true;
  for (std::size_t i = 0; i < p.n(); ++i) {
    p.laws[i].restitution = p.velocity_before[i] = 0.0;
    p.velocity_before[p.n() + i] = p.slip_velocity[i];
  }
  return p;
}

/// What follows impulses: velocities of bodies, and the contacts that have not been parted by them.
inline RandomContacts following(const RandomContacts& p, const ContactSolution& impulses) {
  const std::size_t n = p.n();
  RandomContacts next = p;
  for (std::size_t l = 0; l < p.mass.size(); ++l) {
    for (std::size_t i = 0; i < n; ++i) {
      next.velocity[l] += (p.h[i][l] * impulses.contacts[i].normal_force +
                           p.h[n + i][l] * impulses.contacts[i].tangential_force) /
                          p.mass[l];
    }
  }
  double fastest = 0.0;
  for (const double v : p.slip_velocity) fastest = std::max(fastest, std::abs(v));
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < n; ++i) {
    if (impulses.contacts[i].normal_acceleration <= 1e-12 * fastest) kept.push_back(i);
  }
  next.laws.clear();
  next.turning.clear();
  next.slip_velocity.clear();
  next.h.clear();
  for (const std::size_t i : kept) {
    const ContactState& c = impulses.contacts[i];
    next.laws.push_back(p.laws[i]);
    next.turning.push_back(p.turning[i]);
    next.slip_velocity.push_back(c.status == ContactStatus::stick ? 0.0
                                                                  : c.tangential_acceleration);
    next.h.push_back(p.h[i]);
  }
  for (const std::size_t i : kept) next.h.push_back(p.h[n + i]);
  next.free.assign(2 * kept.size(), 0.0);
  next.velocity_before.assign(2 * kept.size(), 0.0);
  next.gather_response();
  next.gather_free();
  return next;
}

class ContactWriter {
 public:
  explicit ContactWriter(std::uint64_t seed) : random_(seed) { p_.seed = seed; }

  RandomContacts write() {
    const std::size_t wanted = 1 + below(20);
    wide_ = chance(0.2);
    base_ = std::pow(10.0, uniform(-2, 5));
    if (wanted > 2 && chance(0.25)) {
      linkage(wanted);
    } else {
      while (p_.n() < wanted) add_body(wanted);
    }
    gather();
    p_.impulses = chance(0.4);
    p_.impulses ? strike() : load();
    return std::move(p_);
  }

 private:
  double uniform(double a, double b) {
    return std::uniform_real_distribution<double>(a, b)(random_);
  }
  std::size_t below(std::size_t n) {
    return std::uniform_int_distribution<std::size_t>(0, n - 1)(random_);
  }
  bool chance(double p) { return uniform(0, 1) < p; }

  void new_body() {
    const double r = std::pow(10.0, uniform(-0.5, 0.5));
    const double m =
        wide_ ? std::pow(10.0, uniform(-3, 6)) : base_ * std::pow(10.0, uniform(-0.74, 0.74));
    radius_.push_back(r);
    corner_.push_back(chance(1.0 / 3) ? 0.0 : M_PI / 4);
    p_.mass.insert(p_.mass.end(),
                   {m, m, (corner_.back() == 0.0 ? 0.5 : uniform(0.2, 0.6)) * m * r * r});
    for (auto* rows : {&normals_, &tangents_}) {
      for (auto& row : *rows) row.resize(p_.mass.size(), 0.0);
    }
  }

  struct Direction {
    double x = 0, y = 0;
  };
  static Direction at(double angle) { return {std::cos(angle), std::sin(angle)}; }

  /// Velocity along d of the point r of a body, added with a sign.
  static void add(std::vector<double>& row, std::size_t body, Direction d, Direction r,
                  double sign) {
    row[3 * body] += sign * d.x;
    row[3 * body + 1] += sign * d.y;
    row[3 * body + 2] += sign * (r.x * d.y - r.y * d.x);
  }

  void add_row(ContactLaw law, std::vector<double> normal, std::vector<double> tangent,
               std::vector<ContactTurning> turning) {
    law.name = (law.bilateral ? "joint " : "contact ") + std::to_string(p_.n() + 1);
    p_.laws.push_back(std::move(law));
    normals_.push_back(std::move(normal));
    tangents_.push_back(std::move(tangent));
    p_.turning.push_back(std::move(turning));
  }
  std::vector<double> empty_row() const { return std::vector<double>(p_.mass.size(), 0.0); }

  /// Pins one body to another (to the ground if the same), at points of their rims.
  void pin(std::size_t body, std::size_t other) {
    const Direction r = scaled(at(uniform(0, 2 * M_PI)), radius_[body]);
    const Direction s = scaled(at(uniform(0, 2 * M_PI)), radius_[other]);
    const int times = chance(0.1) ? 2 : 1;
    for (int i = 0; i < times; ++i) {
      for (const Direction d : {Direction{1, 0}, Direction{0, 1}}) {
        auto row = empty_row();
        std::vector<ContactTurning> turning{{body, -dot(r, d), 0.0}};
        add(row, body, d, r, 1.0);
        if (other != body) {
          add(row, other, d, s, -1.0);
          turning.push_back({other, dot(s, d), 0.0});
        }
        ContactLaw law;
        law.bilateral = true;
        add_row(law, row, empty_row(), turning);
      }
    }
  }
  /// A chain, each body pinned to the one before and half of the first ones to the ground; bodies touch floor or walls.
  void linkage(std::size_t wanted) {
    const std::size_t n_bodies = std::max<std::size_t>(1, wanted / 4);
    for (std::size_t b = 0; b < n_bodies; ++b) {
      new_body();
      if (b > 0 || chance(0.5)) pin(b, b == 0 ? 0 : b - 1);
    }
    const std::size_t n_joints = p_.n();
    for (std::size_t b = 0; b < n_bodies && p_.n() < 20; ++b) {
      if (p_.n() == n_joints || chance(0.5))
        meet(b, b, chance(0.5) ? M_PI / 2 : uniform(0, M_PI), 20 - p_.n());
    }
  }

  ContactLaw random_law() {
    ContactLaw law;
    law.frictional = chance(0.8);
    if (law.frictional) {
      law.mu_kinetic = uniform(0, 1);
      law.mu_static = law.mu_kinetic;
      if (chance(0.3)) law.mu_static = std::min(1.0, law.mu_kinetic * uniform(1, 1.5));
    }
    return law;
  }
  static Direction scaled(Direction d, double by) { return {d.x * by, d.y * by}; }
  static double dot(Direction a, Direction b) { return a.x * b.x + a.y * b.y; }

  void add_body(std::size_t wanted) {
    new_body();
    const std::size_t body = radius_.size() - 1;
    const auto left = [&] { return wanted - std::min(wanted, p_.n()); };
    if (body == 0 || chance(0.4)) {
      const std::size_t feet = std::min<std::size_t>(1 + below(4), left());
      const double height = uniform(0.5, 1.0) * radius_[body];
      const double half = std::sqrt(std::max(0.0, radius_[body] * radius_[body] - height * height));
      const ContactLaw law = random_law();
      for (std::size_t i = 0; i < feet; ++i)
        touch(law, body, body, {0, 1}, {uniform(-half, half), -height}, {});
    } else {
      std::vector<std::size_t> below_it(body);
      for (std::size_t b = 0; b < body; ++b) below_it[b] = b;
      std::shuffle(below_it.begin(), below_it.end(), random_);
      below_it.resize(std::min<std::size_t>(1 + below(2), body));
      for (const std::size_t other : below_it) {
        if (left() > 0) meet(body, other, uniform(M_PI / 6, 5 * M_PI / 6), left());
      }
    }
    if (left() > 0 && chance(0.25))
      meet(body, body, chance(0.5) ? uniform(0, M_PI / 6) : uniform(5 * M_PI / 6, M_PI), left());
  }
  Direction rim(std::size_t body, double angle) {
    return scaled(at(angle + corner_[body] * uniform(-1, 1)), radius_[body]);
  }
  /// In a point, or along a face.
  void meet(std::size_t body, std::size_t other, double angle, std::size_t at_most) {
    const Direction normal = at(angle), tangent{normal.y, -normal.x};
    const Direction r = rim(body, angle + M_PI);
    const Direction s = rim(other, angle);
    const ContactLaw law = random_law();
    const bool face = chance(0.3) && at_most > 1, twice = chance(0.1) && at_most > 1;
    const double width = face ? uniform(0.1, 0.5) * std::min(radius_[body], radius_[other]) : 0.0;
    for (int i = 0; i < (face || twice ? 2 : 1); ++i) {
      const double shift = i * width;
      touch(law, body, other, normal, {r.x + shift * tangent.x, r.y + shift * tangent.y},
            {s.x + shift * tangent.x, s.y + shift * tangent.y});
    }
  }
  /// The normal points from `other` (the ground if the same) to `body`.
  void touch(const ContactLaw& law, std::size_t body, std::size_t other, Direction normal,
             Direction r, Direction s) {
    const Direction tangent{normal.y, -normal.x};
    auto n = empty_row(), t = empty_row();
    add(n, body, normal, r, 1.0);
    add(t, body, tangent, r, 1.0);
    std::vector<ContactTurning> turning{{body, -dot(r, normal), -dot(r, tangent)}};
    if (other != body) {
      add(n, other, normal, s, -1.0);
      add(t, other, tangent, s, -1.0);
      turning.push_back({other, dot(s, normal), dot(s, tangent)});
    }
    add_row(law, n, t, turning);
  }

  void gather() {
    const std::size_t n = p_.n();
    p_.h = normals_;
    p_.h.insert(p_.h.end(), tangents_.begin(), tangents_.end());
    for (std::size_t i = 0; i < n; ++i) {
      if (!p_.laws[i].frictional) std::fill(p_.h[n + i].begin(), p_.h[n + i].end(), 0.0);
    }
    p_.gather_response();
    p_.free.assign(2 * n, 0.0);
    p_.slip_velocity.assign(n, 0.0);
    p_.velocity_before.assign(2 * n, 0.0);
    p_.velocity.assign(p_.mass.size(), 0.0);
  }
  /// Orthonormal rows that span those given (twice orthogonalised); what is 1e-6 of a row is none.
  std::vector<std::vector<double>> span_of(const std::vector<std::size_t>& rows) const {
    std::vector<std::vector<double>> basis;
    for (const std::size_t row : rows) {
      std::vector<double> x = p_.h[row];
      const double before = std::sqrt(norm2(x));
      for (int round = 0; round < 2; ++round) remove(basis, x);
      const double after = std::sqrt(norm2(x));
      if (!(after > 1e-6 * before)) continue;
      for (double& v : x) v /= after;
      basis.push_back(x);
    }
    return basis;
  }
  static double norm2(const std::vector<double>& x) {
    double sum = 0.0;
    for (const double v : x) sum += v * v;
    return sum;
  }
  static void remove(const std::vector<std::vector<double>>& basis, std::vector<double>& x) {
    for (const auto& b : basis) {
      double part = 0.0;
      for (std::size_t l = 0; l < x.size(); ++l) part += b[l] * x[l];
      for (std::size_t l = 0; l < x.size(); ++l) x[l] -= part * b[l];
    }
  }

  void random_velocity() {
    for (std::size_t l = 0; l < p_.velocity.size(); ++l)
      p_.velocity[l] = uniform(-1, 1) / (l % 3 == 2 ? radius_[l / 3] : 1.0);
  }
  /// Velocities that keep all contacts closed.
  void slide() {
    const std::size_t n = p_.n();
    random_velocity();
    std::vector<std::size_t> rows;
    for (std::size_t i = 0; i < n; ++i) rows.push_back(i);
    for (std::size_t i = 0; i < n; ++i) {
      if (p_.laws[i].frictional && chance(0.2)) rows.push_back(n + i);
    }
    const auto basis = span_of(rows);
    for (int round = 0; round < 3; ++round) remove(basis, p_.velocity);
    for (double& v : p_.velocity) v = std::abs(v) < 1e-12 ? 0.0 : v;
    for (std::size_t i = 0; i < n; ++i) {
      const double v = p_.along(n + i, p_.velocity);
      p_.slip_velocity[i] = std::abs(v) < 1e-9 ? 0.0 : v;
    }
  }
  void load() {
    if (chance(0.5)) slide();
    for (std::size_t l = 0; l < p_.mass.size(); ++l) {
      const double g = 9.81;
      p_.acceleration.push_back((l % 3 == 1 ? -g : 0.0) +
                                g * uniform(-1, 1) / (l % 3 == 2 ? radius_[l / 3] : 1.0));
    }
    p_.gather_free();
  }
  /// Three times of four a contact strikes while all others rest or slide; else all come together.
  void strike() {
    random_velocity();
    const std::size_t n = p_.n();
    std::vector<std::size_t> kept, contacts;
    for (std::size_t i = 0; i < n; ++i) {
      if (!p_.laws[i].bilateral) contacts.push_back(i);
    }
    const bool one = chance(0.75);
    const std::size_t struck = contacts[below(contacts.size())];
    for (std::size_t i = 0; i < n; ++i) {
      if (p_.laws[i].bilateral || (one && !same_row(i, struck))) kept.push_back(i);
    }
    const auto basis = span_of(kept);
    for (int round = 0; round < 3; ++round) remove(basis, p_.velocity);
    if (one && p_.along(struck, p_.velocity) > 0.0) {
      for (double& v : p_.velocity) v = -v;
    }
    for (std::size_t i = 0; i < 2 * n; ++i) {
      const double v = p_.along(i, p_.velocity);
      p_.velocity_before[i] = std::abs(v) < 1e-13 ? 0.0 : v;
    }
    p_.restitution = chance(0.5);
    const double e = p_.restitution ? uniform(0, 1) : 0.0;
    for (ContactLaw& law : p_.laws) law.restitution = law.bilateral ? 0.0 : e;
  }
  bool same_row(std::size_t i, std::size_t j) const { return p_.h[i] == p_.h[j]; }

  std::mt19937_64 random_;
  bool wide_ = false;
  double base_ = 1.0;
  RandomContacts p_;
  std::vector<double> radius_;
  std::vector<double> corner_;  // how far from a normal its contact may lie
  std::vector<std::vector<double>> normals_, tangents_;
};

}  // namespace saltus::problems
