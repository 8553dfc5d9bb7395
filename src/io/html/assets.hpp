// Files that are part of every page; made from src/io/html and third_party/uplot when Saltus is built.
#pragma once

#include <string_view>

namespace saltus::detail {

extern const std::string_view uplot_script, uplot_style, uplot_licence, page_script, page_style,
    report_script, runs_script;

}  // namespace saltus::detail
