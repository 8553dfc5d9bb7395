#include "io/html/page.hpp"

#include <algorithm>
#include <ostream>

#include <saltus/core/version.hpp>

#include "io/html/assets.hpp"

namespace saltus::detail {

void page_put(std::ostream& out, std::string_view text) {
  out.write(text.data(), static_cast<std::streamsize>(text.size()));
}

/// "<" occurs in texts only, where it may be written as an escape.
void put_json_block(std::ostream& out, std::string_view id, std::string_view json) {
  page_put(out, "<script type=\"application/json\" id=\"");
  page_put(out, id);
  page_put(out, "\">");
  for (std::size_t at = 0; at < json.size();) {
    const std::size_t next = std::min(json.find('<', at), json.size());
    page_put(out, json.substr(at, next - at));
    if (next < json.size()) page_put(out, "\\u003c");
    at = next + 1;
  }
  page_put(out, "</script>\n");
}

void put_base64_block(std::ostream& out, const std::string& id, const std::vector<double>& values) {
  constexpr std::string_view letters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  page_put(out, "<script type=\"text/plain\" id=\"" + id + "\">");
  const auto* bytes = reinterpret_cast<const unsigned char*>(values.data());
  const std::size_t n = values.size() * sizeof(double);
  std::string text;
  text.reserve(65540);
  for (std::size_t i = 0; i < n; i += 3) {
    const unsigned a = bytes[i], b = i + 1 < n ? bytes[i + 1] : 0, c = i + 2 < n ? bytes[i + 2] : 0;
    text += letters[a >> 2];
    text += letters[(a & 3) << 4 | b >> 4];
    text += i + 1 < n ? letters[(b & 15) << 2 | c >> 6] : '=';
    text += i + 2 < n ? letters[c & 63] : '=';
    if (text.size() >= 65536) {
      page_put(out, text);
      text.clear();
    }
  }
  page_put(out, text);
  page_put(out, "</script>\n");
}

void begin_page(std::ostream& out) {
  page_put(out,
           "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
           "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
           // Nothing is ever fetched, whatever the names in a model look like.
           "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src "
           "'unsafe-inline'; style-src 'unsafe-inline'; img-src data:\">\n"
           "<link rel=\"icon\" href=\"data:,\">\n<title>Saltus</title>\n<style>\n");
  page_put(out, uplot_style);
  page_put(out, "\n");
  page_put(out, page_style);
  page_put(out,
           "</style>\n</head>\n<body>\n<header id=\"head\"></header>\n<nav id=\"links\"></nav>\n"
           "<main id=\"page\"></main>\n<div id=\"tip\" hidden></div>\n<footer>Saltus ");
  page_put(out, library_version());
  page_put(out, "</footer>\n<!-- uPlot, embedded below:\n");
  page_put(out, uplot_licence);
  page_put(out, "-->\n");
}

void end_page(std::ostream& out, std::string_view script) {
  page_put(out, "<script>\n");
  page_put(out, uplot_script);
  page_put(out, "\n</script>\n<script>\n");
  page_put(out, page_script);
  page_put(out, script);
  page_put(out, "</script>\n</body>\n</html>\n");
}

}  // namespace saltus::detail
