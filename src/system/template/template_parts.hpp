// What a template system and its workspaces share.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <saltus/system/switching.hpp>
#include <saltus/system/template_system.hpp>

#include "system/callback_actions.hpp"
#include "system/difference_jacobian.hpp"
#include "system/template/exploration.hpp"

namespace saltus::detail {

struct TemplateParts {
  /// Throws ModelError for what does not fit together.
  TemplateParts(TemplateDescription what, TemplateCode how);

  std::size_t size() const { return description.unknowns.size(); }
  /// Switching functions: first those with a name, then comparisons.
  std::uint32_t n_named() const { return static_cast<std::uint32_t>(description.switches.size()); }

  TemplateDescription description;
  TemplateCode code;
  std::vector<std::string> names;
  std::vector<double> start, nominal;
  std::vector<std::uint8_t> carries_derivative;
  CscPattern pattern, gradient_pattern;
  ColumnGroups groups;
  std::optional<IdentityMap> map;
  CallbackActionList actions;
  Exploration exploration;
  std::vector<SwitchInfo> switches;
};

}  // namespace saltus::detail
