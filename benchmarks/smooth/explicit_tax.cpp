// Engine dopri5 against the same formula in ARKODE, at equal error.
#include <cmath>
#include <string>

#include <arkode/arkode_erkstep.h>
#include <nvector/nvector_serial.h>

#include <saltus/integrate/engine.hpp>
#include <saltus/system/function_system.hpp>

#include "explicit_tax.hpp"
#include "fast_vectors.hpp"
#include "support/measure.hpp"

namespace saltus::bench {

namespace {

struct NonStiff {
  const char* name;
  void (*derivative)(const double* y, double* ydot);
  std::vector<double> y0;
  double t_end;
  std::vector<double> y_end;  // empty: computed
};

/// Restricted three bodies; after one period the orbit is where it began (Hairer, Norsett, Wanner:
/// Solving ODEs I, section II.0).
void arenstorf_derivative(const double* y, double* ydot) {
  constexpr double mu = 0.012277471, nu = 1.0 - mu;
  const double a = (y[0] + mu) * (y[0] + mu) + y[1] * y[1];
  const double b = (y[0] - nu) * (y[0] - nu) + y[1] * y[1];
  const double d1 = a * std::sqrt(a), d2 = b * std::sqrt(b);
  ydot[0] = y[2];
  ydot[1] = y[3];
  ydot[2] = y[0] + 2 * y[3] - nu * (y[0] + mu) / d1 - mu * (y[0] - nu) / d2;
  ydot[3] = y[1] - 2 * y[2] - nu * y[1] / d1 - mu * y[1] / d2;
}

/// Fifty masses in a row between walls, springs k r + r^3.
void chain_derivative(const double* y, double* ydot) {
  constexpr int n = 50;
  double left = y[0] + y[0] * y[0] * y[0];
  for (int i = 0; i < n; ++i) {
    const double r = (i + 1 < n ? y[i + 1] : 0.0) - y[i];
    const double right = r + r * r * r;
    ydot[i] = y[n + i];
    ydot[n + i] = right - left;
    left = right;
  }
}

NonStiff arenstorf() {
  const std::vector<double> y0 = {0.994, 0.0, 0.0, -2.00158510637908252240537862224};
  return {"Arenstorf", &arenstorf_derivative, y0, 17.0652165601579625588917206249, y0};
}

NonStiff chain() {
  std::vector<double> y0(100, 0.0);
  for (std::size_t i = 0; i < 50; ++i) y0[i] = std::sin(0.3 * static_cast<double>(i));
  return {"chain of 50 masses", &chain_derivative, y0, 50.0, {}};
}

std::shared_ptr<const System> system_of(const NonStiff& p) {
  SystemFunctions functions;
  for (std::size_t i = 0; i < p.y0.size(); ++i) {
    functions.unknowns.push_back({"y" + std::to_string(i), p.y0[i]});
  }
  functions.derivative = [f = p.derivative](double, std::span<const double> y,
                                            std::span<double> ydot) { f(y.data(), ydot.data()); };
  return make_system(functions);
}

struct Outcome {
  double error = 0.0;
  double n_evaluations = 0.0;
};

double distance(std::span<const double> a, std::span<const double> b) {
  double largest = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

/// Ours; the engine is kept for the next call.
class OurRun {
 public:
  OurRun(const NonStiff& p, EngineKind kind, double tol)
      : p_(p), system_(system_of(p)), workspace_(system_->workspace()), ydot0_(p.y0.size()) {
    EngineOptions options;
    options.rtol = options.atol[0] = tol;
    engine_ = make_engine(kind, *system_, *workspace_, options);
    p.derivative(p.y0.data(), ydot0_.data());
  }
  void run() {
    const auto before = engine_->work().n_evaluations;
    if (!engine_->start({0.0, p_.y0, ydot0_}, p_.t_end)) return;
    while (engine_->t() != p_.t_end && engine_->step(p_.t_end)) {
    }
    n_evaluations_ = static_cast<double>(engine_->work().n_evaluations - before);
  }
  std::vector<double> end() const { return {engine_->x().begin(), engine_->x().end()}; }
  Outcome outcome() const { return {distance(engine_->x(), p_.y_end), n_evaluations_}; }

 private:
  const NonStiff& p_;
  std::shared_ptr<const System> system_;
  std::unique_ptr<Workspace> workspace_;
  std::unique_ptr<Engine> engine_;
  std::vector<double> ydot0_;
  double n_evaluations_ = 0.0;
};

int arkode_derivative(double, N_Vector y, N_Vector ydot, void* user) {
  static_cast<const NonStiff*>(user)->derivative(NV_DATA_S(y), NV_DATA_S(ydot));
  return 0;
}

class ArkodeRun {
 public:
  ArkodeRun(const NonStiff& p, double tol) : p_(p) {
    SUNContext_Create(nullptr, &context_);
    y_ = N_VNew_Serial(static_cast<sunindextype>(p.y0.size()), context_);
    use_fast_operations(y_);
    std::copy(p.y0.begin(), p.y0.end(), NV_DATA_S(y_));
    N_VEnableFusedOps_Serial(y_, SUNTRUE);  // off unless asked for
    ark_ = ERKStepCreate(arkode_derivative, 0.0, y_, context_);
    ERKStepSetTableNum(ark_, ARKODE_DORMAND_PRINCE_7_4_5);
    ERKStepSStolerances(ark_, tol, tol);
    ERKStepSetUserData(ark_, const_cast<NonStiff*>(&p));
    ERKStepSetMaxNumSteps(ark_, 1000000);
  }
  ~ArkodeRun() {
    ERKStepFree(&ark_);
    N_VDestroy(y_);
    SUNContext_Free(&context_);
  }
  ArkodeRun(const ArkodeRun&) = delete;
  ArkodeRun& operator=(const ArkodeRun&) = delete;
  void run() {
    std::copy(p_.y0.begin(), p_.y0.end(), NV_DATA_S(y_));
    ERKStepReInit(ark_, arkode_derivative, 0.0, y_);
    ERKStepSetStopTime(ark_, p_.t_end);
    double t = 0.0;
    if (ERKStepEvolve(ark_, p_.t_end, y_, &t, ARK_NORMAL) < 0) return;
    long n = 0;
    ERKStepGetNumRhsEvals(ark_, &n);
    n_evaluations_ = static_cast<double>(n);
  }
  Outcome outcome() const {
    return {distance({NV_DATA_S(y_), p_.y_end.size()}, p_.y_end), n_evaluations_};
  }

 private:
  const NonStiff& p_;
  SUNContext context_ = nullptr;
  N_Vector y_ = nullptr;
  void* ark_ = nullptr;
  double n_evaluations_ = 0.0;
};

/// log10 of a cost at a given error, from a line through (log error, log cost).
double cost_at(double log_error, const std::vector<std::pair<double, double>>& points) {
  double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (const auto& [x, y] : points) n += 1, sx += x, sy += y, sxx += x * x, sxy += x * y;
  const double slope = (n * sxy - sx * sy) / (n * sxx - sx * sx);
  return (sy - slope * sx) / n + slope * log_error;
}

void compare(Item& item, NonStiff p) {
  if (p.y_end.empty()) {
    OurRun reference(p, EngineKind::dop853, 1e-13);
    reference.run();
    p.y_end = reference.end();
  }
  std::vector<std::pair<double, double>> ours, theirs, our_time, their_time;
  for (const double tol : {1e-6, 1e-7, 1e-8, 1e-9, 1e-10}) {
    OurRun a(p, EngineKind::dopri5, tol);
    ArkodeRun b(p, tol);
    const std::vector<double> seconds =
        best_of_interleaved({[&] { a.run(); }, [&] { b.run(); }}, 0.3);
    const double x = std::log10(a.outcome().error), z = std::log10(b.outcome().error);
    ours.emplace_back(x, std::log10(a.outcome().n_evaluations));
    theirs.emplace_back(z, std::log10(b.outcome().n_evaluations));
    our_time.emplace_back(x, std::log10(seconds[0]));
    their_time.emplace_back(z, std::log10(seconds[1]));
  }
  // The middle of what both reached.
  double at = 0.0;
  for (std::size_t k = 0; k < ours.size(); ++k) at += ours[k].first + theirs[k].first;
  at /= 2.0 * static_cast<double>(ours.size());
  char text[64];
  std::snprintf(text, sizeof text, "%s, error %.1e", p.name, std::pow(10.0, at));
  item.note(text);
  item.at_most("evaluations", std::pow(10.0, cost_at(at, ours) - cost_at(at, theirs)), 1.0);
  item.at_most("time", std::pow(10.0, cost_at(at, our_time) - cost_at(at, their_time)), 1.0);
}

}  // namespace

void compare_with_arkode(Item& item) {
  compare(item, arenstorf());
  compare(item, chain());
}

}  // namespace saltus::bench
