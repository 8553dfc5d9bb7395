// Marbles in a jar (after Compere, 5.3.4): N equal spheres, a floor and a cylindrical wall, contacts are
// springs without friction. The motion is chaotic: times are comparable for the first events only,
// energy always.
#pragma once

#include "problems/switched_problem.hpp"

namespace saltus::problems {

struct MarbleJar {
  static constexpr double r = 0.01, m = 0.01, k = 1000.0, g = 9.81, wall = 0.03;
  static constexpr double starts[4][3] = {
      {0.002, 0.001, 0.05}, {-0.003, 0.002, 0.08}, {0.001, -0.004, 0.11}, {-0.002, -0.001, 0.14}};
};

namespace detail {

/// A spring that pushes while the gap is negative: its force, and its part of the energy.
struct MarbleContacts {
  ModelWriter& w;
  Expr energy = 0.0;

  Expr push(const std::string& key, const Expr& gap) {
    Expr force = w.choose(key, gap < 0.0, -MarbleJar::k * gap, 0.0);
    energy += w.choose(key, gap < 0.0, 0.5 * MarbleJar::k * gap * gap, 0.0);
    return force;
  }
};

}  // namespace detail

template <std::size_t N>
void write_marble_jar(ModelWriter& w) {
  using J = MarbleJar;
  Expr p[N][3], v[N][3], force[N][3];
  constexpr const char* axes[] = {"x", "y", "z"};
  for (std::size_t i = 0; i < N; ++i) {
    for (std::size_t a = 0; a < 3; ++a) {
      const std::string name = axes[a] + std::to_string(i);
      p[i][a] = w.m.state(name, J::starts[i][a], {.nominal = w.nominal(0.01)});
      v[i][a] = w.m.state("v" + name, 0.0);
      force[i][a] = a == 2 ? -J::m * J::g : 0.0;
    }
  }
  detail::MarbleContacts contacts{w};
  int pair = 0;
  for (std::size_t i = 0; i < N; ++i) {
    for (std::size_t j = i + 1; j < N; ++j, ++pair) {
      Expr squares = 0.0;
      for (std::size_t a = 0; a < 3; ++a) squares += sqr(p[i][a] - p[j][a]);
      Expr distance = sqrt(squares);
      Expr push = contacts.push("pair" + std::to_string(pair), distance - 2.0 * J::r) / distance;
      for (std::size_t a = 0; a < 3; ++a) {
        force[i][a] += push * (p[i][a] - p[j][a]);
        force[j][a] -= push * (p[i][a] - p[j][a]);
      }
    }
  }
  for (std::size_t i = 0; i < N; ++i) {
    force[i][2] += contacts.push("floor" + std::to_string(i), p[i][2] - J::r);
    Expr radius = sqrt(sqr(p[i][0]) + sqr(p[i][1]));
    Expr push = contacts.push("wall" + std::to_string(i), J::wall - J::r - radius) / radius;
    force[i][0] -= push * p[i][0];
    force[i][1] -= push * p[i][1];
  }
  Expr energy = contacts.energy;
  for (std::size_t i = 0; i < N; ++i) {
    for (std::size_t a = 0; a < 3; ++a) {
      w.m.equation(der(p[i][a]) == v[i][a]);
      w.m.equation(J::m * der(v[i][a]) == force[i][a]);
      energy += 0.5 * J::m * sqr(v[i][a]);
    }
    energy += J::m * J::g * p[i][2];
  }
  w.m.output("energy", energy);
}

/// The first twenty events; an entry with a minus ends a contact.
struct MarbleEvent {
  double t;
  const char* contact;
};

inline SwitchedProblem marble_jar(const std::string& name, void (*write)(ModelWriter&),
                                  std::span<const MarbleEvent> events, std::size_t n) {
  SwitchedProblem p{.name = name, .write = write};
  for (std::size_t i = 0; i < n; ++i) {
    p.choices["floor" + std::to_string(i)] = p.choices["wall" + std::to_string(i)] = {0};
  }
  for (std::size_t i = 0; i < n * (n - 1) / 2; ++i) p.choices["pair" + std::to_string(i)] = {0};
  for (const MarbleEvent& e : events) {
    const bool ends = e.contact[0] == '-';
    p.events.push_back({e.t, e.contact + (ends ? 1 : 0), ends ? +1 : -1});
  }
  p.switch_at = [list = p.events](std::size_t k, Choices& c) {
    c[list[k].key] = {list[k].direction < 0 ? 1.0 : 0.0};
  };
  return p;
}

constexpr double marble_jar_2_energy = 0.012753, marble_jar_4_energy = 0.037278;

inline SwitchedProblem marble_jar_2() {
  static constexpr MarbleEvent events[] = {
      {0.090304728197146180890, "floor0"}, {0.10046069834857122056, "-floor0"},
      {0.10107944837325032038, "pair0"},   {0.10799848374316309520, "-pair0"},
      {0.10886344019828414357, "floor0"},  {0.11903532486452264610, "-floor0"},
      {0.13123018218653179789, "wall1"},   {0.13373078360561389779, "wall0"},
      {0.14116714351489338225, "-wall1"},  {0.14366774493397548215, "-wall0"},
      {0.16021736412437138799, "pair0"},   {0.16720754703804100944, "-pair0"},
      {0.19039543379153753058, "wall0"},   {0.19338994343090483211, "wall1"},
      {0.20033023323441128777, "-wall0"},  {0.20332474044750812238, "-wall1"},
      {0.21706127628821384465, "floor0"},  {0.22725020103575303383, "-floor0"},
      {0.28581495497221721161, "wall0"},   {0.28796481955357490448, "wall1"}};
  SwitchedProblem p = marble_jar("marble jar 2", &write_marble_jar<2>, events, 2);
  p.file = "compere_marble_jar_N2.json";
  return p;
}

inline SwitchedProblem marble_jar_4() {
  static constexpr MarbleEvent events[] = {
      {0.090304728197146180890, "floor0"}, {0.10046069834857122056, "-floor0"},
      {0.10107944837325032038, "pair0"},   {0.10799848374316309520, "-pair0"},
      {0.10886344019828414357, "floor0"},  {0.11282221667088958724, "pair3"},
      {0.11866714221465868959, "-pair3"},  {0.11903532486452264610, "-floor0"},
      {0.12460655886315351713, "wall1"},   {0.12946633829004077166, "pair1"},
      {0.13310129216978800680, "wall0"},   {0.13454153226506454789, "-wall1"},
      {0.13595084771111702454, "-pair1"},  {0.13885345132302726953, "pair4"},
      {0.14315067788860562647, "pair5"},   {0.14328105554861915042, "-wall0"},
      {0.14586325010618975320, "-pair4"},  {0.14839095867106278656, "-pair5"},
      {0.14995041278193083970, "wall2"},   {0.15037452592577997946, "pair2"}};
  SwitchedProblem p = marble_jar("marble jar 4", &write_marble_jar<4>, events, 4);
  p.file = "compere_marble_jar_N4.json";
  return p;
}

}  // namespace saltus::problems
