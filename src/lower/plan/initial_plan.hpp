// Initial equations of a model in one of its modes, compiled.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <saltus/expr/program.hpp>
#include <saltus/model/mode_model.hpp>

#include "lower/layout/layout.hpp"

namespace saltus::detail {

/// What all workspaces share.
class InitialPlan {
 public:
  /// What the mode does not have is said by refusal(): it may never be the one a run begins in.
  InitialPlan(const ModelDefinition& whole, const ModeModel& mode, const Layout& layout);

  struct Argument {
    enum class From : std::uint8_t { time, x, xdot, signal, parameter, discrete, before };
    From from = From::time;
    std::uint32_t index = 0;
    int order = 0;  // of a signal
  };

  std::uint32_t count() const { return static_cast<std::uint32_t>(names_.size()); }
  const std::string& name(std::uint32_t equation) const { return names_[equation]; }
  const std::string& refusal() const { return refusal_; }
  std::span<const Argument> arguments() const { return arguments_; }
  const std::shared_ptr<const Program>& residual() const { return residual_; }
  const std::shared_ptr<const Program>& jacobian() const { return jacobian_; }
  /// The outputs of the Jacobian are entries of the pattern, in an order of their own.
  std::span<const std::size_t> places() const { return places_; }
  const CscPattern& pattern() const { return pattern_; }

 private:
  void compile_in(const ModelDefinition& whole, const ModeModel& mode, const Layout& layout);

  std::vector<std::string> names_;
  std::string refusal_;
  std::vector<Argument> arguments_;
  std::shared_ptr<const Program> residual_, jacobian_;
  std::vector<std::size_t> places_;
  CscPattern pattern_;
};

}  // namespace saltus::detail
