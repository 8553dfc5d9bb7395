#include <saltus/io/result_file.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

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

std::string_view name(ResultFormat format) noexcept {
  switch (format) {
    case ResultFormat::hdf5:
      return "HDF5";
    case ResultFormat::mat:
      return "MAT";
    case ResultFormat::csv:
      return "CSV";
  }
  return "?";
}

std::optional<ResultFormat> format_of(std::string_view path) {
  std::string end(path);
  std::transform(end.begin(), end.end(), end.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (end.ends_with(".h5") || end.ends_with(".hdf5")) return ResultFormat::hdf5;
  if (end.ends_with(".mat")) return ResultFormat::mat;
  if (end.ends_with(".csv")) return ResultFormat::csv;
  return {};
}

ResultTable with_derivatives(const ResultFile& result) {
  ResultTable out = result.table;
  const ResultTable& more = result.derivatives.table;
  if (more.times.size() == out.times.size())
    out.columns.insert(out.columns.end(), more.columns.begin(), more.columns.end());
  return out;
}

void save_result(const ResultFile& result, const std::string& path, ResultFormat format) {
  switch (format) {
    case ResultFormat::hdf5:
      detail::replace_file(path, true,
                           [&](const std::string& to) { detail::write_hdf5(result, to); });
      return;
    case ResultFormat::mat:
      detail::write_stream_file(path, [&](std::ostream& out) { return write_mat(result, out); });
      return;
    case ResultFormat::csv:
      detail::write_stream_file(path, [table = with_derivatives(result)](std::ostream& out) {
        return write_csv(table, out);
      });
      return;
  }
}

void save_result(const ResultFile& result, const std::string& path) {
  const std::optional<ResultFormat> format = format_of(path);
  if (!format)
    throw FileError(path, "its ending is not a known format; known are .h5, .hdf5, .mat and .csv");
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
