// What all pages have: a frame that fetches nothing, blocks of data, scripts.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

namespace saltus::detail {

void page_put(std::ostream& out, std::string_view text);
/// JSON inside a script element.
void put_json_block(std::ostream& out, std::string_view id, std::string_view json);
/// Numbers, 8 bytes each.
void put_base64_block(std::ostream& out, const std::string& id, const std::vector<double>& values);

/// Up to the blocks of data.
void begin_page(std::ostream& out);
/// After them: uPlot, what all pages share, and a page's own script.
void end_page(std::ostream& out, std::string_view script);

}  // namespace saltus::detail
