// Item 8: starts from bad guesses, and impulses.
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include <saltus/saltus.hpp>

#include "index/index.hpp"
#include "problems/andrews_squeezer.hpp"
#include "support/measure.hpp"

namespace saltus::bench {

namespace {

constexpr int n_starts = 1000;

/// A compiled model that is started from values set by name.
class StartedModel {
 public:
  explicit StartedModel(const Model& m)
      : system_(*compile_model(m.build())->system({})), workspace_(system_->workspace()) {
    start = system_->start_values();
  }

  std::uint32_t index_of(const std::string& name) const {
    for (std::uint32_t i = 0; i < system_->size(); ++i) {
      if (system_->unknown_name(i) == name) return i;
    }
    return 0;
  }
  double& value(const std::string& name) { return start.x[index_of(name)]; }
  Result<Restart> restart_by(RestartPolicy policy) {
    RestartOptions o;
    o.policy = policy;
    if (analysis_) o.known = &*analysis_;
    auto r = restart(*system_, *workspace_, 0.0, start, o);
    if (r && remembers_ && !analysis_) analysis_ = r->analysis;
    return r;
  }
  /// Every start analyses the system anew, from its own guess.
  void forget() {
    remembers_ = false;
    analysis_.reset();
  }
  double nominal(std::size_t i) const { return system_->nominal(static_cast<std::uint32_t>(i)); }

  StartValues start;

 private:
  std::shared_ptr<const System> system_;
  std::unique_ptr<Workspace> workspace_;
  std::optional<IndexAnalysis> analysis_;
  bool remembers_ = true;
};

struct Outcomes {
  int n_right = 0, n_elsewhere = 0, n_refused = 0, n_without_names = 0;
  double largest_second_change = 0.0;  // of |x_i| + nominal_i, when a result is restarted
};

/// One start after the other: `scatter` sets a guess, `is_right` judges the answer to it.
template <class Scatter, class IsRight>
Outcomes try_starts(StartedModel& model, int n, Scatter scatter, IsRight is_right) {
  Outcomes o;
  const std::vector<double> xdot = model.start.xdot;
  for (int k = 0; k < n; ++k) {
    model.start.xdot = xdot;
    scatter();
    const StartValues guess = model.start;
    const auto r = model.restart_by(RestartPolicy::keep);
    if (!r) {
      ++o.n_refused;
      o.n_without_names += r.failure().message.find('\'') == std::string::npos;
      continue;
    }
    ++(is_right(guess, *r) ? o.n_right : o.n_elsewhere);
    model.start.x = r->x;
    model.start.xdot = r->xdot;
    const auto again = model.restart_by(RestartPolicy::keep);
    for (std::size_t i = 0; i < r->x.size(); ++i) {
      const double change =
          again ? std::abs(again->x[i] - r->x[i]) / (std::abs(r->x[i]) + model.nominal(i)) : 1.0;
      o.largest_second_change = std::max(o.largest_second_change, change);
    }
  }
  return o;
}

void judge(Item& item, const std::string& what, const Outcomes& o, int n) {
  item.at_least(what + " right", 100.0 * o.n_right / n, 95.0, "%");
  item.note(std::to_string(o.n_elsewhere) + " elsewhere, " + std::to_string(o.n_refused) +
            " refused");
  item.holds(std::to_string(o.n_without_names) + " of them without names", o.n_without_names == 0);
  item.at_most("restarted", o.largest_second_change, 1e-12);
}

class Scattered {
 public:
  explicit Scattered(unsigned seed) : random_(seed) {}
  double operator()(double lo, double hi) {
    return std::uniform_real_distribution(lo, hi)(random_);
  }

 private:
  std::mt19937_64 random_;
};

/// x^2 + y^2 = 1 at index 3, from the annulus 0.5 … 1.5 with any velocity up to one.
void start_pendulums(Item& item) {
  Model m("pendulum");
  Expr x = m.state("x", 1.0), y = m.state("y", 0.0), u = m.state("u", 0.0), v = m.state("v", 0.0),
       lambda = m.algebraic("lambda");
  m.equation(der(x) == u);
  m.equation(der(y) == v);
  m.equation(der(u) == -lambda * x);
  m.equation(der(v) == -lambda * y - 9.81);
  m.equation("rod", x * x + y * y == 1.0);
  StartedModel model(m);
  (void)model.restart_by(RestartPolicy::keep);  // analysed once
  Scattered between(11);
  bool at_rest = false;  // every other start; there a multiplier of zero makes coefficients vanish
  const auto scatter = [&] {
    const double r = between(0.5, 1.5), angle = between(-std::acos(-1.0), std::acos(-1.0));
    model.value("x") = r * std::cos(angle);
    model.value("y") = r * std::sin(angle);
    at_rest = !at_rest;
    model.value("u") = at_rest ? 0.0 : between(-1, 1);
    model.value("v") = at_rest ? 0.0 : between(-1, 1);
    model.value("lambda") = at_rest ? 0.0 : between(-20, 20);
  };
  const auto is_right = [&](const StartValues& guess, const Restart& r) {
    constexpr double near = 1e-3;  // rad
    const std::uint32_t ix = model.index_of("x"), iy = model.index_of("y");
    const double turned = std::atan2(r.x[iy] * guess.x[ix] - r.x[ix] * guess.x[iy],
                                     r.x[ix] * guess.x[ix] + r.x[iy] * guess.x[iy]);
    return std::abs(turned) <= near && std::abs(std::hypot(r.x[ix], r.x[iy]) - 1) <= 1e-10;
  };
  judge(item, "pendulum", try_starts(model, n_starts, scatter, is_right), n_starts);
  // The same without the analysis of another start.
  constexpr int n_fresh = 200;
  model.forget();
  const Outcomes fresh = try_starts(model, n_fresh, scatter, is_right);
  item.at_least("analysed anew right", 100.0 * fresh.n_right / n_fresh, 95.0, "%");
}

/// All angles off by up to 0.05 rad. The branch is how the three pairs of bars are bent.
void start_squeezers(Item& item) {
  using namespace problems::andrews;
  Model m("Andrews squeezer");
  problems::write_andrews_squeezer(m);
  StartedModel model(m);
  (void)model.restart_by(RestartPolicy::keep);
  Scattered between(12);
  const auto scatter = [&] {
    for (std::size_t k = 0; k < 7; ++k) {
      model.value(angles[k]) = starts[k] + between(-0.05, 0.05);
      model.value(std::string("der(") + angles[k] + ")") = 0.0;
    }
    for (int k = 1; k <= 6; ++k) model.value("lambda" + std::to_string(k)) = 0.0;
  };
  const auto is_right = [&](const StartValues&, const Restart& r) {
    const auto q = [&](const char* name) { return r.x[model.index_of(name)]; };
    return std::cos(q("phi")) > 0 && std::cos(q("omega")) > 0 &&
           std::cos(q("beta") + q("theta") - q("gamma")) > 0;
  };
  judge(item, "Andrews", try_starts(model, n_starts, scatter, is_right), n_starts);
}

void write_boost(Model& m, int mode) {
  Expr vc = m.state("v_c", 10.0), il = m.state("i_l", 10.0), vd = m.state("v_d", 10.0),
       vs = m.state("v_s", 10.0), ir = m.state("i_r", 10.0), id = m.state("i_d", 10.0),
       is = m.state("i_s", 10.0);
  m.equation(1e-2 * der(vc) == id - ir);
  m.equation(der(il) == 48.0 - vs);
  m.equation(vd + vc - vs == 0.0);
  m.equation(2.0 * ir == vc);
  m.equation(is + id == il);
  const bool switch_off = mode == 1 || mode == 3, diode_on = mode == 1 || mode == 4;
  m.equation("switch", (switch_off ? is : vs) == 0.0);
  m.equation("diode", (diode_on ? vd : id) == 0.0);
}

/// Modes 1 and 2 keep both v_c and i_l, mode 3 has i_l = 0, mode 4 v_c = 0.
void start_boost_converters(Item& item) {
  Outcomes all;
  for (int mode = 1; mode <= 4; ++mode) {
    Model m("boost converter");
    write_boost(m, mode);
    StartedModel model(m);
    (void)model.restart_by(RestartPolicy::keep);
    Scattered between(static_cast<unsigned>(20 + mode));
    const auto scatter = [&] {
      for (double& x : model.start.x) x = between(-100, 100);
    };
    const std::uint32_t ic = model.index_of("v_c"), il = model.index_of("i_l");
    const auto is_right = [&](const StartValues& guess, const Restart& r) {
      const double vc = mode == 4 ? 0.0 : guess.x[ic], current = mode == 3 ? 0.0 : guess.x[il];
      return std::abs(r.x[ic] - vc) <= 1e-9 * 100 && std::abs(r.x[il] - current) <= 1e-9 * 100;
    };
    const Outcomes o = try_starts(model, n_starts / 4, scatter, is_right);
    all.n_right += o.n_right;
    all.n_elsewhere += o.n_elsewhere;
    all.n_refused += o.n_refused;
    all.n_without_names += o.n_without_names;
    all.largest_second_change = std::max(all.largest_second_change, o.largest_second_change);
  }
  judge(item, "boost", all, n_starts);
}

void write_capacitors(Model& m, double c1, double v1_start, double c2, double v2_start) {
  Expr v1 = m.state("v1", v1_start), v2 = m.state("v2", v2_start), i = m.algebraic("i");
  m.equation(c1 * der(v1) == i);
  m.equation(c2 * der(v2) == -i);
  m.equation("parallel", v1 == v2);
}

void conserve_charge(Item& item) {
  Model m("capacitors");
  write_capacitors(m, 1.0, 10.0, 3.0, 2.0);
  StartedModel model(m);
  const std::uint32_t v1 = model.index_of("v1"), v2 = model.index_of("v2");
  const auto jump = model.restart_by(RestartPolicy::impulse);
  const auto nearest = model.restart_by(RestartPolicy::least_squares);
  item.at_most("capacitors |V - 4|", jump ? std::abs(jump->x[v1] - 4.0) : 1e300, 1e-9);
  item.at_most("control |V - 6|", nearest ? std::abs(nearest->x[v1] - 6.0) : 1e300, 1e-9);
  Scattered between(31);
  double lost = 0.0;
  for (int k = 0; k < 100; ++k) {
    const double c1 = std::pow(10.0, between(-3, 3)), c2 = std::pow(10.0, between(-3, 3));
    const double a = between(-10, 10), b = between(-10, 10);
    Model random("capacitors");
    write_capacitors(random, c1, a, c2, b);
    StartedModel one(random);
    const auto r = one.restart_by(RestartPolicy::impulse);
    const double before = c1 * a + c2 * b, size = c1 * std::abs(a) + c2 * std::abs(b);
    lost = std::max(lost, r ? std::abs(c1 * r->x[v1] + c2 * r->x[v2] - before) / size : 1e300);
  }
  item.at_most("charge lost", lost, 1e-9);
}

/// Masses and a line of any direction; the constraint on the position.
void conserve_momentum(Item& item) {
  Scattered between(32);
  double worst = 0.0, control = 0.0;
  for (int k = 0; k < 100; ++k) {
    const double mx = std::pow(10.0, between(-2, 2)), my = std::pow(10.0, between(-2, 2));
    const double angle = between(0, 6), nx = std::cos(angle), ny = std::sin(angle);
    const double a = between(-1, 1), b = between(-1, 1);
    Model m("impact");
    Expr x = m.state("x", 1e-10 * nx), y = m.state("y", 1e-10 * ny), vx = m.state("vx", a),
         vy = m.state("vy", b), lambda = m.algebraic("lambda");
    m.equation(der(x) == vx);
    m.equation(der(y) == vy);
    m.equation(mx * der(vx) == -nx * lambda);
    m.equation(my * der(vy) == -ny * lambda);
    m.equation("line", nx * x + ny * y == 0.0);
    StartedModel model(m);
    const double share = (nx * a + ny * b) / (nx * nx / mx + ny * ny / my);
    const auto error = [&](const Result<Restart>& r) {
      if (!r) return 1e300;
      return std::max(std::abs(r->x[model.index_of("vx")] - (a - nx * share / mx)),
                      std::abs(r->x[model.index_of("vy")] - (b - ny * share / my)));
    };
    worst = std::max(worst, error(model.restart_by(RestartPolicy::impulse)));
    control = std::max(control, error(model.restart_by(RestartPolicy::least_squares)));
  }
  item.at_most("impact off its projection", worst, 1e-8);
  item.at_least("control", control, 0.1);
}

}  // namespace

bool show_starts(int number) {
  Item item(number);
  start_pendulums(item);
  start_squeezers(item);
  start_boost_converters(item);
  conserve_charge(item);
  conserve_momentum(item);
  return item.print();
}

}  // namespace saltus::bench
