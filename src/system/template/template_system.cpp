#include <saltus/system/template_system.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include <saltus/core/error.hpp>

#include "system/template/template_enclosure.hpp"
#include "system/template/template_parts.hpp"
#include "system/template/template_runner.hpp"
#include "system/template/template_switching.hpp"

namespace saltus::detail {

namespace {

class TemplateWorkspace final : public Workspace, public ExplicitForm {
 public:
  explicit TemplateWorkspace(std::shared_ptr<const TemplateParts> parts)
      : parts_(std::move(parts)),
        runner_(*parts_),
        switching_(runner_),
        enclosure_(runner_, switching_),
        actions_(parts_->actions, parts_->size(), runner_.locks(),
                 [this](const std::function<void()>& call) { return runner_.guarded(call); }) {
    for (const bool of_xdot : {false, true}) {
      if (of_xdot && parts_->code.is_explicit) continue;
      for (std::size_t g = 0; g < parts_->groups.count(); ++g) {
        if (!of_xdot || carries_derivative(g)) directions_.push_back({of_xdot, g});
      }
    }
    if (parts_->code.is_explicit) offer<ExplicitForm>(*this);
    if (parts_->switches.empty()) return;
    offer<SwitchingFunctions>(switching_);
    offer<Locks>(switching_);
    offer<StepEnclosure>(enclosure_);
    if (!parts_->description.actions.empty()) offer<EventActions>(actions_);
  }

  Evaluation residual(double t, std::span<const double> x, std::span<const double> xdot,
                      std::span<double> f) override {
    const Evaluation done = evaluate(t, x, xdot, f);
    if (!done || !parts_->code.is_explicit) return done;
    for (std::size_t i = 0; i < f.size(); ++i) f[i] = xdot[i] - f[i];
    return Evaluation::ok();
  }

  Evaluation derivative(double t, std::span<const double> x, std::span<double> xdot) override {
    return evaluate(t, x, x, xdot);  // x stands for x', which is not read
  }

  Evaluation jacobian(double t, std::span<const double> x, std::span<const double> xdot,
                      std::span<double> df_dx, std::span<double> df_dxdot) override {
    SALTUS_ASSERT(fits(x) && fits(xdot));
    std::fill(df_dxdot.begin(), df_dxdot.end(), 0.0);
    auto& a = runner_.arguments<TemplateDual>();
    a.t = t;
    std::copy(x.begin(), x.end(), a.x.begin());
    std::copy(xdot.begin(), xdot.end(), a.xdot.begin());
    const std::size_t width = TemplateDual().slope.size();
    for (std::size_t first = 0; first < directions_.size(); first += width) {
      const std::size_t n = std::min(width, directions_.size() - first);
      const auto now = std::span(directions_).subspan(first, n);
      seed(now, x, xdot, true);
      const Evaluation done = runner_.run_equations<TemplateDual>(false);
      if (!done) return done;
      const Evaluation kept = harvest(now, df_dx, df_dxdot);
      if (!kept) return kept;
      seed(now, x, xdot, false);
    }
    if (parts_->code.is_explicit) subtract_from_identity(df_dx, df_dxdot);
    return Evaluation::ok();
  }

  std::string last_error() const override { return runner_.error(); }

 private:
  /// Columns that are moved together.
  struct Direction {
    bool of_xdot;
    std::size_t group;
  };

  template <class T>
  bool fits(std::span<T> values) const {
    return values.size() == parts_->size();
  }

  bool carries_derivative(std::size_t group) const {
    const auto columns = parts_->groups.group(group);
    return std::any_of(columns.begin(), columns.end(), [&](index_t column) {
      return parts_->carries_derivative[static_cast<std::size_t>(column)] != 0;
    });
  }

  Evaluation evaluate(double t, std::span<const double> x, std::span<const double> xdot,
                      std::span<double> f) {
    SALTUS_ASSERT(fits(x) && fits(xdot) && fits(f));
    runner_.load(t, x, xdot);
    const Evaluation done = runner_.run_equations<double>(false);
    if (!done) return done;
    const auto& written = runner_.arguments<double>().f;
    for (std::size_t i = 0; i < f.size(); ++i) {
      f[i] = written[i].value();
      if (!std::isfinite(f[i])) return Evaluation::out_of_domain(static_cast<std::uint32_t>(i));
    }
    return Evaluation::ok();
  }

  void seed(std::span<const Direction> directions, std::span<const double> x,
            std::span<const double> xdot, bool moves) {
    auto& a = runner_.arguments<TemplateDual>();
    for (std::size_t k = 0; k < directions.size(); ++k) {
      for (const index_t column : parts_->groups.group(directions[k].group)) {
        const auto j = static_cast<std::size_t>(column);
        TemplateDual number(directions[k].of_xdot ? xdot[j] : x[j]);
        if (moves) number.slope[k] = 1.0;
        (directions[k].of_xdot ? a.xdot : a.x)[j] = Tracked<TemplateDual>::of(number);
      }
    }
  }

  Evaluation harvest(std::span<const Direction> directions, std::span<double> df_dx,
                     std::span<double> df_dxdot) {
    const auto& f = runner_.arguments<TemplateDual>().f;
    const CscPattern& p = parts_->pattern;
    for (std::size_t k = 0; k < directions.size(); ++k) {
      const std::span<double> out = directions[k].of_xdot ? df_dxdot : df_dx;
      for (const index_t column : parts_->groups.group(directions[k].group)) {
        const auto j = static_cast<std::size_t>(column);
        const auto end = static_cast<std::size_t>(p.column_start[j + 1]);
        for (auto s = static_cast<std::size_t>(p.column_start[j]); s < end; ++s) {
          const auto row = static_cast<std::size_t>(p.row[s]);
          out[s] = f[row].value().slope[k];
          if (!std::isfinite(out[s])) {
            return Evaluation::out_of_domain(static_cast<std::uint32_t>(row));
          }
        }
      }
    }
    return Evaluation::ok();
  }

  /// The residual is x' - f(t, x).
  void subtract_from_identity(std::span<double> df_dx, std::span<double> df_dxdot) const {
    const CscPattern& p = parts_->pattern;
    for (std::size_t j = 0; j < parts_->size(); ++j) {
      const auto end = static_cast<std::size_t>(p.column_start[j + 1]);
      for (auto s = static_cast<std::size_t>(p.column_start[j]); s < end; ++s) {
        df_dx[s] = -df_dx[s];
        if (static_cast<std::size_t>(p.row[s]) == j) df_dxdot[s] = 1.0;
      }
    }
  }

  std::shared_ptr<const TemplateParts> parts_;
  TemplateRunner runner_;
  TemplateSwitching switching_;
  TemplateEnclosure enclosure_;
  CallbackActions actions_;
  std::vector<Direction> directions_;
};

class TemplateSystem final : public System {
 public:
  explicit TemplateSystem(std::shared_ptr<const TemplateParts> parts) : parts_(std::move(parts)) {}

  std::uint32_t size() const override { return static_cast<std::uint32_t>(parts_->size()); }
  const CscPattern& pattern() const override { return parts_->pattern; }
  std::span<const std::uint8_t> carries_derivative() const override {
    return parts_->carries_derivative;
  }
  std::string unknown_name(std::uint32_t unknown) const override {
    return parts_->names.at(unknown);
  }
  std::string equation_name(std::uint32_t row) const override {
    const auto& names = parts_->description.equations;
    return names.empty() ? "equation " + std::to_string(row + 1) : names.at(row);
  }
  double nominal(std::uint32_t unknown) const override { return parts_->nominal.at(unknown); }
  StartValues start_values() const override {
    return {.x = parts_->start,
            .xdot = std::vector<double>(parts_->size(), 0.0),
            .x_given = parts_->carries_derivative};
  }
  const VariableMap& variable_map() const override { return *parts_->map; }
  std::unique_ptr<Workspace> workspace() const override {
    return std::make_unique<TemplateWorkspace>(parts_);
  }

 private:
  std::shared_ptr<const TemplateParts> parts_;
};

}  // namespace

std::shared_ptr<const System> make_template_system(TemplateDescription description,
                                                   TemplateCode code) {
  return std::make_shared<const TemplateSystem>(
      std::make_shared<const TemplateParts>(std::move(description), std::move(code)));
}

}  // namespace saltus::detail
