// A stiff oscillator: the solver chooses its method, says why, and reports what it did.
#include <cmath>
#include <cstdio>

#include <saltus/saltus.hpp>

namespace {

using namespace saltus;

// [observer]
// Hears messages, sees progress after every step, and may stop the run by returning false.
class Watcher final : public Observer {
 public:
  void message(Severity, std::string_view topic, std::string_view text) override {
    std::printf("[%.*s] %.*s\n", static_cast<int>(topic.size()), topic.data(),
                static_cast<int>(text.size()), text.data());
  }
  bool keep_going(const Progress& now) override {
    if (now.fraction >= next_) {
      std::printf("%3.0f %% of the time, %llu steps\n", 100 * next_,
                  static_cast<unsigned long long>(now.n_steps));
      next_ += 0.25;
    }
    return true;
  }

 private:
  double next_ = 0.25;
};
// [observer]

}  // namespace

int main() {
  // [run]
  Model m("van der Pol");
  Expr x = m.state("x", 2.0), v = m.state("v", 0.0);
  Expr mu = m.parameter("mu", 1e6);
  m.equation(der(x) == v);
  m.equation(der(v) == mu * ((1.0 - x * x) * v - x));

  Watcher watcher;
  const Solution solution = simulate(m, {.t_end = 2.0, .rtol = 1e-7, .atol = 1e-7}, watcher);
  for (const DecisionRecord& d : solution.report.choices) {
    std::printf("%s: %s, because %s\n", d.name.c_str(), d.used.c_str(), d.reason.c_str());
  }
  // [run]

  // The published value, to 1e-4 of its size.
  const double error = solution.final("x") / 1.706167732170483 - 1.0;
  std::printf("x(2) = %.4f, %s\n", solution.final("x"),
              std::string(name(solution.report.outcome)).c_str());
  return solution.ok() && std::abs(error) < 1e-4 ? 0 : 1;
}
