#include <algorithm>
#include <bit>
#include <numeric>

#include <saltus/core/version.hpp>
#include <saltus/io/run_table.hpp>

#include "io/hdf5/group.hpp"
#include "io/hdf5/room.hpp"

namespace saltus {

namespace {

using detail::Hdf5Group;
using detail::Hdf5Handle;

constexpr int run_layout_version = 1;
/// Rows that are compressed and checked together: half a megabyte of numbers.
constexpr std::uint64_t rows_at_once = 65536;

/// A name of a dataset: "/" would be a group, "." the group itself.
std::string run_link_name(const std::string& column) {
  std::string name;
  for (const char c : column) {
    if (c == '/')
      name += "%2F";
    else if (c == '%')
      name += "%25";
    else
      name += c;
  }
  return name == "." ? "%2E" : name;
}

/// Grids, counts and constants: most of what follows has been there before.
bool has_few_values(std::span<const double> values) {
  constexpr std::size_t looked_at = 4096;
  std::vector<std::uint64_t> bits;
  for (const double v : values.first(std::min(values.size(), looked_at)))
    bits.push_back(std::bit_cast<std::uint64_t>(v));
  std::ranges::sort(bits);
  const auto same = std::ranges::unique(bits);
  return bits.size() - same.size() < (bits.size() + 1) / 2;
}

/// Rows that are appended block by block. Throws FileError.
class RunDataset {
 public:
  /// `packed`: compressed; everything has checksums.
  RunDataset(hid_t group, const std::string& name, hid_t type, std::uint64_t n_rows,
             std::uint64_t chunk, bool packed, const std::string& path)
      : type_(type), name_(name), path_(path) {
    const hsize_t size = n_rows, part = std::max<hsize_t>(1, std::min<hsize_t>(chunk, n_rows));
    const Hdf5Handle space(H5Screate_simple(1, &size, nullptr), H5Sclose);
    const Hdf5Handle layout(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    if (n_rows > 0) {
      H5Pset_chunk(layout, 1, &part);
      if (packed) {
        H5Pset_shuffle(layout);
        H5Pset_deflate(layout, 1);
      }
      H5Pset_fletcher32(layout);
    }
    made_ = Hdf5Handle(
        H5Dcreate2(group, name.c_str(), type, space, H5P_DEFAULT, layout, H5P_DEFAULT), H5Dclose);
    if (!made_.ok()) fail();
  }

  void append(const void* rows, std::size_t n_rows) {
    const hsize_t n = n_rows;
    if (n == 0) return;
    const Hdf5Handle memory(H5Screate_simple(1, &n, nullptr), H5Sclose);
    const Hdf5Handle space(H5Dget_space(made_), H5Sclose);
    if (H5Sselect_hyperslab(space, H5S_SELECT_SET, &done_, nullptr, &n, nullptr) < 0 ||
        H5Dwrite(made_, type_, memory, space, H5P_DEFAULT, rows) < 0)
      fail();
    done_ += n;
  }
  hid_t id() const { return made_; }
  hsize_t n_done() const { return done_; }
  /// To what was written: other rows have no meaning.
  void cut() {
    if (H5Dset_extent(made_, &done_) < 0) fail();
  }

 private:
  [[noreturn]] void fail() const {
    throw FileError(path_, "cannot be written (" + quote(name_) + "): " + detail::system_reason());
  }
  hid_t type_;
  Hdf5Handle made_;
  std::string name_;
  const std::string& path_;
  hsize_t done_ = 0;
};

Hdf5Handle run_ending_type() {
  Hdf5Handle type(H5Tenum_create(H5T_NATIVE_UINT8), H5Tclose);
  constexpr std::uint8_t complete = 0, failed = 1, missing = 2;
  H5Tenum_insert(type, "complete", &complete);
  H5Tenum_insert(type, "failed", &failed);
  H5Tenum_insert(type, "missing", &missing);
  return type;
}

std::uint64_t reasons_at_once(const RunTable& table) {
  return std::max<std::uint64_t>(1, (1u << 20) / (table.longest_reason + 1));
}

/// More than texts, names and the places of all chunks need.
std::uint64_t room_for_run_head(const RunTable& table) {
  const std::uint64_t n = table.columns.size();
  std::uint64_t bytes = 8192 * (n + 16) + 64 * (n + 4) * (table.n_runs / rows_at_once);
  for (const auto& [name, text] : table.texts) bytes += text.size();
  return bytes;
}

/// Without compression, in whole chunks; reasons may wait since the block before.
std::uint64_t room_for_run_rows(const RunTable& table, const RunRows& rows) {
  const std::uint64_t chunk = std::min(rows_at_once, table.n_runs);
  const std::uint64_t n_rows = (rows.size() + chunk - 1) / chunk * chunk;
  const std::uint64_t n_reasons =
      table.n_failed == 0 ? 0 : std::min(table.n_failed, rows.reasons.size() + rows_at_once);
  return n_rows * (9 + 8 * table.columns.size()) + n_reasons * 8 +
         std::min<std::uint64_t>(table.n_failed, rows.reasons.size() + reasons_at_once(table)) *
             (table.longest_reason + 1);
}

class RunFile {
 public:
  RunFile(const RunTable& table, hid_t file, const std::string& path)
      : table_(table),
        path_(path),
        root_(file, path),
        ending_type_(run_ending_type()),
        reason_type_(detail::hdf5_text_type(std::max<std::size_t>(1, table.longest_reason))),
        varied_(root_.group("varied")),
        kept_(root_.group("kept")),
        failures_(root_.group("failures")),
        runs_(file, "run", H5T_NATIVE_UINT64, table.n_runs, rows_at_once, true, path),
        endings_(file, "outcome", ending_type_, table.n_runs, rows_at_once, true, path),
        failed_(failures_, "run", H5T_NATIVE_UINT64, table.n_failed, rows_at_once, true, path),
        reasons_(failures_, "reason", reason_type_, table.n_failed, reasons_at_once(table), true,
                 path) {}

  void put_head() const {
    root_.attribute("format", "saltus runs");
    root_.attribute("version", double{run_layout_version});
    root_.attribute("saltus_version", std::string(library_version()));
    root_.attribute("model", table_.title);
    root_.attribute("fingerprint", std::to_string(table_.fingerprint));
    std::vector<std::string> varied, kept;
    for (const RunColumn& column : table_.columns)
      (column.varied ? varied : kept).push_back(column.name);
    root_.texts("varied_names", varied);
    root_.texts("kept_names", kept);
    // Attributes may not be longer than 64 KiB.
    const Hdf5Handle group = root_.group("texts");
    const Hdf5Group texts(group, path_);
    for (const auto& [name, text] : table_.texts) texts.text(name.c_str(), text);
  }

  void add(const RunRows& rows) {
    if (columns_.empty()) make_columns(rows);
    numbers_.resize(rows.size());
    std::iota(numbers_.begin(), numbers_.end(), rows.first);
    runs_.append(numbers_.data(), rows.size());
    endings_.append(rows.endings.data(), rows.size());
    for (std::size_t i = 0; i < columns_.size(); ++i)
      columns_[i].append(rows.columns[i].data(), rows.size());
    for (const RunRows::Reason& reason : rows.reasons) add_reason(reason);
  }

  void finish() {
    put_reasons();
    // A segment that was damaged since it was counted.
    if (failed_.n_done() < table_.n_failed) {
      failed_.cut();
      reasons_.cut();
    }
  }

 private:
  void make_columns(const RunRows& first) {
    columns_.reserve(table_.columns.size());
    for (std::size_t i = 0; i < table_.columns.size(); ++i) {
      const RunColumn& column = table_.columns[i];
      columns_.emplace_back(column.varied ? varied_ : kept_, run_link_name(column.name),
                            H5T_NATIVE_DOUBLE, table_.n_runs, rows_at_once,
                            has_few_values(first.columns[i]), path_);
      Hdf5Group(columns_.back().id(), path_).attribute("name", column.name);
    }
  }

  void add_reason(const RunRows::Reason& reason) {
    const std::size_t width = std::max<std::size_t>(1, table_.longest_reason);
    failed_runs_.push_back(reason.run);
    text_ += reason.text.substr(0, width);
    text_.resize(width * failed_runs_.size(), '\0');
    if (failed_runs_.size() == reasons_at_once(table_)) put_reasons();
  }
  void put_reasons() {
    failed_.append(failed_runs_.data(), failed_runs_.size());
    reasons_.append(text_.data(), failed_runs_.size());
    failed_runs_.clear();
    text_.clear();
  }

  const RunTable& table_;
  const std::string& path_;
  Hdf5Group root_;
  Hdf5Handle ending_type_, reason_type_, varied_, kept_, failures_;
  RunDataset runs_, endings_, failed_, reasons_;
  std::vector<RunDataset> columns_;
  std::vector<std::uint64_t> numbers_, failed_runs_;
  std::string text_;
};

}  // namespace

std::uint64_t run_block_size(std::size_t n_columns) {
  constexpr std::uint64_t most = std::uint64_t{64} << 20;  // bytes
  return rows_at_once * std::max<std::uint64_t>(1, most / (8 * rows_at_once * (n_columns + 1)));
}

void save_runs_hdf5(const RunTable& table, const std::string& path) {
  detail::replace_file(path, true, [&](const std::string& to) {
    const detail::Hdf5Session session;
    Hdf5Handle file = detail::create_hdf5(to);
    {
      detail::take_room(file, room_for_run_head(table), to);
      RunFile runs(table, file, to);
      runs.put_head();
      table.read([&](const RunRows& rows) {
        detail::take_room(file, room_for_run_head(table) + room_for_run_rows(table, rows), to);
        runs.add(rows);
      });
      runs.finish();
    }
    detail::close_hdf5(file, to);
    detail::give_room_back(to);
  });
}

}  // namespace saltus
