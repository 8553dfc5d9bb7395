#include <saltus/io/result_file.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <saltus/core/text.hpp>

#include "io/hdf5/hdf5.hpp"
#include "io/result/replace_file.hpp"

namespace saltus {

namespace detail {

std::string system_reason() {
  return errno != 0 ? std::string(std::strerror(errno)) : std::string("unknown reason");
}

void replace_file(const std::string& path, bool needs_a_file,
                  const std::function<void(const std::string&)>& write) {
  namespace fs = std::filesystem;
  std::error_code code;
  const fs::file_status status = fs::status(path, code);
  if (fs::is_directory(status)) throw FileError(path, "is a folder");
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    if (needs_a_file) throw FileError(path, "is not a regular file, which this format needs");
    write(path);
    return;
  }
  // Through links: what they lead to is replaced, not they.
  fs::path target = fs::exists(status) ? fs::canonical(path, code) : fs::path(path);
  if (code) target = path;
  fs::path beside = target;
  beside += ".part";
  const auto remove = [&] {
    std::error_code ignored;
    fs::remove(beside, ignored);
  };
  try {
    write(beside.string());
  } catch (const FileError& error) {
    remove();
    // Nobody knows the name of the file beside.
    std::string what = error.what();
    const std::string own = "'" + beside.string() + "'";
    if (const std::size_t at = what.find(own); at == 0) what.erase(0, own.size() + 2);
    throw FileError(path, what);
  } catch (...) {
    remove();
    throw;
  }
  fs::rename(beside, target, code);
  if (code) {
    remove();
    throw FileError(path, "cannot be replaced: " + code.message());
  }
}

void write_stream_file(const std::string& path, const std::function<bool(std::ostream&)>& write) {
  replace_file(path, false, [&](const std::string& to) {
    errno = 0;
    std::ofstream out(to, std::ios::binary | std::ios::trunc);
    if (!out) throw FileError(to, "cannot be opened for writing: " + system_reason());
    const bool written = write(out);
    errno = written ? 0 : errno;
    out.close();
    if (!written || !out) throw FileError(to, "cannot be written: " + system_reason());
  });
}

std::string read_whole_file(const std::string& path) {
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  if (!in) throw FileError(path, "cannot be opened: " + system_reason());
  std::ostringstream content;
  content << in.rdbuf();
  // An empty file sets failbit of the stream that takes it.
  if (in.bad() || std::filesystem::is_directory(path)) throw FileError(path, "cannot be read");
  return std::move(content).str();
}

}  // namespace detail

ResultTable with_derivatives(const ResultFile& result) {
  ResultTable out = result.table;
  const ResultTable& more = result.derivatives.table;
  if (more.times.size() == out.times.size())
    out.columns.insert(out.columns.end(), more.columns.begin(), more.columns.end());
  return out;
}

namespace {

/// One line per format: it is written under this name, by these endings, in this way.
struct FormatEntry {
  ResultFormat format;
  std::string_view name;
  std::vector<std::string_view> endings;
  void (*write)(const ResultFile& result, const std::string& path);
};

const std::vector<FormatEntry>& all_formats() {
  static const std::vector<FormatEntry> formats{
      {ResultFormat::hdf5,
       "HDF5",
       {".h5", ".hdf5"},
       [](const ResultFile& result, const std::string& path) {
         detail::replace_file(path, true,
                              [&](const std::string& to) { detail::write_hdf5(result, to); });
       }},
      {ResultFormat::mat,
       "MAT",
       {".mat"},
       [](const ResultFile& result, const std::string& path) {
         detail::write_stream_file(path, [&](std::ostream& out) { return write_mat(result, out); });
       }},
      {ResultFormat::csv, "CSV", {".csv"}, [](const ResultFile& result, const std::string& path) {
         detail::write_stream_file(path, [table = with_derivatives(result)](std::ostream& out) {
           return write_csv(table, out);
         });
       }}};
  return formats;
}

}  // namespace

std::string_view name(ResultFormat format) noexcept {
  for (const FormatEntry& entry : all_formats())
    if (entry.format == format) return entry.name;
  return "?";
}

std::optional<ResultFormat> format_of(std::string_view path) {
  std::string lower(path);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (const FormatEntry& entry : all_formats())
    for (const std::string_view ending : entry.endings)
      if (lower.ends_with(ending)) return entry.format;
  return {};
}

std::string unknown_format(std::string_view also) {
  std::vector<std::string> endings;
  for (const FormatEntry& entry : all_formats())
    endings.insert(endings.end(), entry.endings.begin(), entry.endings.end());
  if (!also.empty()) endings.emplace_back(also);
  const std::string last = endings.back();
  endings.pop_back();
  return "its ending is not a known format; known are " + join(endings, ", ") + " and " + last;
}

std::string result_endings() {
  std::vector<std::string> endings;
  for (const FormatEntry& entry : all_formats()) endings.emplace_back(entry.endings.front());
  const std::string last = endings.back();
  endings.pop_back();
  return join(endings, ", ") + " or " + last;
}

void save_result(const ResultFile& result, const std::string& path, ResultFormat format) {
  for (const FormatEntry& entry : all_formats())
    if (entry.format == format) return entry.write(result, path);
}

void save_result(const ResultFile& result, const std::string& path) {
  const std::optional<ResultFormat> format = format_of(path);
  if (!format) throw FileError(path, unknown_format());
  save_result(result, path, *format);
}

void save_text(std::string_view text, const std::string& path) {
  detail::write_stream_file(path, [&](std::ostream& out) {
    return out.write(text.data(), static_cast<std::streamsize>(text.size())).flush().good();
  });
}

ResultFile load_result(const std::string& path) {
  constexpr std::array<char, 8> hdf5_signature{'\x89', 'H', 'D', 'F', '\r', '\n', '\x1a', '\n'};
  {
    errno = 0;
    std::ifstream in(path, std::ios::binary);
    if (!in) throw FileError(path, "cannot be opened: " + detail::system_reason());
    std::array<char, 8> begin{};
    in.read(begin.data(), begin.size());
    if (in.gcount() == 8 && begin == hdf5_signature) return detail::read_hdf5(path);
  }
  const std::string content = detail::read_whole_file(path);
  // The type of the first matrix of MAT version 4 is a number below 5000 in four bytes: a text would
  // have letters there.
  if (content.size() >= 20 && (content[1] == '\0' || content[2] == '\0'))
    return read_mat(content, path);
  ResultFile out;
  out.table = read_csv(content, path);
  return out;
}

}  // namespace saltus
