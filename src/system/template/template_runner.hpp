// Runs a user's template with numbers of any kind, under locks.
#pragma once

#include <cstdint>
#include <exception>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include <saltus/system/evaluation.hpp>

#include "system/template/comparison_trouble.hpp"
#include "system/template/template_parts.hpp"

namespace saltus::detail {

class TemplateRunner {
 public:
  explicit TemplateRunner(const TemplateParts& parts);

  /// Arguments and results of calls with one kind of number.
  template <class V>
  struct Arguments {
    Tracked<V> t;
    std::vector<Tracked<V>> x, xdot, f, g;
    std::vector<V> differences;  // left - right, by comparison

    void fit(const TemplateParts& parts) {
      if (!x.empty()) return;
      x.resize(parts.size());
      xdot.resize(parts.size());
      f.resize(parts.size());
      g.resize(parts.n_named());
      differences.resize(parts.exploration.table.size());
    }
  };
  template <class V>
  Arguments<V>& arguments() {
    auto& found = std::get<Arguments<V>>(arguments_);
    found.fit(parts_);
    return found;
  }
  /// Of plain numbers.
  void load(double t, std::span<const double> x, std::span<const double> xdot);

  /// Writes `f` from the arguments, and `differences` of the comparisons in it if they are wanted.
  template <class V>
  Evaluation run_equations(bool wants_differences) {
    return run<V>(0, wants_differences);
  }
  /// Writes `g`.
  template <class V>
  Evaluation run_switching(bool wants_differences) {
    return run<V>(1, wants_differences);
  }

  const std::vector<std::uint8_t>& locks() const { return locks_; }
  void set_lock(std::uint32_t which, bool truth);
  Evaluation decide(double t, std::span<const double> x, std::span<const double> xdot);

  /// The call in which a comparison is met under these locks: 0 equations, 1 switching, -1 neither.
  int call_of(std::uint32_t comparison) {
    settle();
    return call_of_[comparison];
  }
  /// Hashes of the formulas that these locks select.
  std::uint64_t formulas_of(int call) {
    settle();
    return formulas_[call];
  }
  /// Changes whenever the locks do.
  std::uint64_t version() const { return version_; }

  /// Calls a user's function.
  template <class Call>
  Evaluation guarded(const Call& call) {
    try {
      call();
      return Evaluation::ok();
    } catch (const std::domain_error& e) {
      error_ = e.what();
      return Evaluation::out_of_domain(0);
    } catch (const std::exception& e) {
      error_ = e.what();
    } catch (...) {  // whatever a user throws ends here
      error_ = "an exception without a message";
    }
    return Evaluation::failed(0);
  }

  const TemplateParts& parts() const { return parts_; }
  const std::string& error() const { return error_; }

 private:
  template <class V>
  Evaluation run(int call, bool wants_differences) {
    settle();
    if (!trouble_.empty()) {
      error_ = trouble_;
      return Evaluation::failed(0);
    }
    replay_.begin(ComparisonReplay::Mode::replay);
    return guarded([&] { make_call<V>(call, wants_differences); });
  }

  template <class V>
  void make_call(int call, bool wants_differences) {
    Arguments<V>& a = arguments<V>();
    const TemplateCalls<V>& calls = parts_.code.of<V>();
    const void* code = parts_.code.code.get();
    const ComparisonReplay::Scope scope(replay_);
    replay_.begin_call(call, wants_differences ? a.differences.data() : nullptr);
    // What is not written is not a number.
    const Tracked<V> unwritten(std::numeric_limits<double>::quiet_NaN());
    if (call == 0) {
      for (auto& f : a.f) f = unwritten;
      calls.equations(code, a.t, a.x, a.xdot, a.f);
    } else {
      for (auto& g : a.g) g = unwritten;
      calls.switching(code, a.t, a.x, a.xdot, a.g);
    }
    replay_.end_call();
  }

  /// Learns the sequence of comparisons under these locks, and what they select.
  void settle() {
    if (!is_settled_) learn();
  }
  void learn();
  void learn_call(int call);

  const TemplateParts& parts_;
  std::vector<std::uint8_t> locks_;
  ComparisonReplay replay_;
  std::tuple<Arguments<double>, Arguments<TemplateDual>, Arguments<Interval>,
             Arguments<TemplateSeries>, Arguments<FormulaHash>>
      arguments_;

  bool is_settled_ = false;
  std::uint64_t version_ = 0;
  std::vector<std::int8_t> call_of_;
  std::uint64_t formulas_[2] = {0, 0};
  std::string trouble_;  // no evaluation under these locks is possible
  std::string error_;
};

}  // namespace saltus::detail
