// A small system that keeps the whole contract, made of parts that a test can break one by one.
//
//   unknowns 'level' (differential) and 'flow' (algebraic)
//   'balance'  level' + flow       = 0
//   'valve'    flow - level^2      = 0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include <saltus/system.hpp>

namespace saltus::test {

using In = std::span<const double>;
using Out = std::span<double>;

struct BreakableParts {
  std::uint32_t size = 2;
  // Columns: level in both rows, flow in both rows.
  CscPattern pattern{.n_rows = 2, .n_cols = 2, .column_start = {0, 2, 4}, .row = {0, 1, 0, 1}};
  std::vector<std::uint8_t> flags{1, 0};
  std::vector<std::string> unknowns{"level", "flow"};
  std::vector<std::string> equations{"balance", "valve"};
  std::vector<double> nominal{1.0, 1.0};
  StartValues start{.x = {1.0, 0.5}, .xdot = {0.0, 0.0}, .x_given = {1, 0}};
  std::shared_ptr<const VariableMap> map = std::make_shared<IdentityMap>(
      std::vector<VariableInfo>{{"level", "m", ""}, {"flow", "", ""}});

  // `workspace` is 0 for the first workspace, 1 for the second, ...
  std::function<Evaluation(int workspace, double t, In x, In xdot, Out f)> residual =
      [](int, double, In x, In xdot, Out f) {
        f[0] = xdot[0] + x[1];
        f[1] = x[1] - x[0] * x[0];
        return Evaluation::ok();
      };
  std::function<Evaluation(In x, Out df_dx, Out df_dxdot)> jacobian = [](In x, Out dx, Out dxdot) {
    const double values[] = {0.0, -2.0 * x[0], 1.0, 1.0};
    const double rates[] = {1.0, 0.0, 0.0, 0.0};
    std::copy(std::begin(values), std::end(values), dx.begin());
    std::copy(std::begin(rates), std::end(rates), dxdot.begin());
    return Evaluation::ok();
  };
  std::function<Evaluation(In x, Out xdot)> derivative = {};
};

class BreakableSystem final : public System {
 public:
  explicit BreakableSystem(BreakableParts parts) : parts_(std::move(parts)) {}

  std::uint32_t size() const override { return parts_.size; }
  const CscPattern& pattern() const override { return parts_.pattern; }
  std::span<const std::uint8_t> carries_derivative() const override { return parts_.flags; }
  std::string unknown_name(std::uint32_t i) const override { return parts_.unknowns.at(i); }
  std::string equation_name(std::uint32_t i) const override { return parts_.equations.at(i); }
  double nominal(std::uint32_t i) const override { return parts_.nominal.at(i); }
  StartValues start_values() const override { return parts_.start; }
  const VariableMap& variable_map() const override { return *parts_.map; }
  std::unique_ptr<Workspace> workspace() const override {
    return std::make_unique<Evaluator>(parts_, n_workspaces_++);
  }

 private:
  class Evaluator final : public Workspace, public ExplicitForm {
   public:
    Evaluator(const BreakableParts& parts, int number) : parts_(parts), number_(number) {
      if (parts.derivative) offer<ExplicitForm>(*this);
    }
    Evaluation residual(double t, In x, In xdot, Out f) override {
      return parts_.residual(number_, t, x, xdot, f);
    }
    Evaluation jacobian(double, In x, In, Out df_dx, Out df_dxdot) override {
      return parts_.jacobian(x, df_dx, df_dxdot);
    }
    Evaluation derivative(double, In x, Out xdot) override { return parts_.derivative(x, xdot); }

   private:
    const BreakableParts& parts_;
    int number_;
  };

  BreakableParts parts_;
  mutable int n_workspaces_ = 0;
};

/// A map of which a test states everything.
class StatedMap final : public VariableMap {
 public:
  struct Entry {
    VariableInfo info;
    bool present = true;
    std::optional<std::uint32_t> unknown = {};
    std::optional<double> written = {};  // by values()
  };
  explicit StatedMap(std::vector<Entry> entries) : entries_(std::move(entries)) {
    for (const Entry& e : entries_) infos_.push_back(e.info);
  }
  std::span<const VariableInfo> variables() const override { return infos_; }
  bool present(std::uint32_t v) const override { return entries_[v].present; }
  std::optional<std::uint32_t> unknown(std::uint32_t v) const override {
    return entries_[v].unknown;
  }
  Evaluation values(Workspace&, double, In x, In, Out out) const override {
    for (std::size_t v = 0; v < entries_.size(); ++v) {
      const Entry& e = entries_[v];
      if (e.written) {
        out[v] = *e.written;
      } else if (e.present && e.unknown) {
        out[v] = x[*e.unknown];
      }
    }
    return Evaluation::ok();
  }

 private:
  std::vector<Entry> entries_;
  std::vector<VariableInfo> infos_;
};

}  // namespace saltus::test
