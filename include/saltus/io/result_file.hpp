// What a result file holds, whatever its format.
//
//   save_result(result_of(solution), "belt.h5");
//   ResultFile again = load_result("belt.h5");
//
// Formats write from this and read into it, so that results can be converted and drawn without the model.
// HDF5 keeps everything; CSV and MAT keep the rows: docs/reference/results.md says what is where.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <saltus/core/error.hpp>
#include <saltus/trajectory/solution.hpp>

namespace saltus {

/// A file cannot be read or written: the message names it and says why.
class FileError : public Error {
 public:
  FileError(std::string path, const std::string& reason);
  const std::string& path() const noexcept { return path_; }

 private:
  std::string path_;
};

/// One quantity over all rows.
struct ResultColumn {
  std::string name;
  std::string unit = {};
  std::string description = {};
  std::vector<double> values = {};         // 0 where it does not exist
  std::vector<std::uint8_t> present = {};  // one flag per row; empty: it exists everywhere

  bool exists(std::size_t row) const { return present.empty() || present[row] != 0; }

  friend bool operator==(const ResultColumn&, const ResultColumn&) = default;
};

/// A stretch without an event. Where two meet there are two rows of the same time: both limits.
struct ResultSegment {
  std::string mode;
  std::vector<std::string> sliding = {};  // relations on whose surfaces the solution stays
  double t_begin = 0.0, t_end = 0.0;
  std::uint64_t first_row = 0, n_rows = 0;

  friend bool operator==(const ResultSegment&, const ResultSegment&) = default;
};

/// Rows in the order of the run.
struct ResultTable {
  std::vector<double> times = {};
  std::vector<ResultColumn> columns = {};
  std::vector<ResultSegment> segments = {};

  const ResultColumn* find(std::string_view name) const;

  friend bool operator==(const ResultTable&, const ResultTable&) = default;
};

/// A value that does not change over the run.
struct ResultParameter {
  std::string name;
  std::string unit = {};
  std::string description = {};
  double value = 0.0;

  friend bool operator==(const ResultParameter&, const ResultParameter&) = default;
};

struct ResultEvent {
  Event what = {};
  std::string changes = {};      // changes_text()
  std::string explanation = {};  // explain()
};

/// Both limits of every column at an instant of events, in the order of ResultTable::columns.
struct ResultInstant {
  double t = 0.0;
  std::string mode_before = {}, mode_after = {};
  std::vector<std::string> sliding_before = {}, sliding_after = {};
  std::uint32_t first_event = 0, n_events = 0;
  bool restarted = false;
  std::vector<double> x_minus = {}, x_plus = {};
  std::vector<std::uint8_t> minus_present = {}, plus_present = {};

  friend bool operator==(const ResultInstant&, const ResultInstant&) = default;
};

struct ResultDerivatives {
  std::vector<std::string> parameters = {};
  ResultTable table = {};  // columns are called "d(x)/d(k)"
  std::vector<EventTimeDerivative> event_times = {};
  std::optional<NoDerivative> ends = {};

  bool empty() const { return parameters.empty(); }
};

struct ResultFile {
  std::string model;
  ResultTable table = {};
  std::vector<ResultParameter> parameters = {};
  std::vector<ResultEvent> events = {};
  std::vector<ResultInstant> instants = {};
  ResultDerivatives derivatives = {};
  // As JSON (docs/reference/json.md) and as text for people; empty if the file has none.
  std::string report_json = {}, report_text = {};
  std::string analysis_json = {}, analysis_text = {};
};

/// The rows of a trajectory as they were asked for.
ResultTable table_of(const Trajectory& trajectory);
/// Everything. Where rows are not asked for at events (a grid, listed times) they are added: both limits
/// belong to a result. Where rows are further apart than an n_rows-th of the run, others are read from the
/// polynomials of the steps and added, so that curves look as smooth as they are; 0: none. Parameters and the
/// analysis are the caller's to add.
ResultFile result_of(const Solution& solution, std::size_t n_rows = 0);

enum class ResultFormat : std::uint8_t { hdf5, mat, csv };
std::string_view name(ResultFormat format) noexcept;
/// By the end of a file's name: .h5 and .hdf5, .mat, .csv, in any case. Nothing if it is another.
std::optional<ResultFormat> format_of(std::string_view path);

/// Writes beside the file first and puts the whole in its place then, so that a crash, a kill or a full disk
/// leaves either the old file or the new one. What is there and no regular file (a pipe, a terminal) is
/// written to directly, which HDF5 cannot. Throws FileError.
void save_result(const ResultFile& result, const std::string& path, ResultFormat format);
/// By the end of its name. Throws FileError also if that tells no format.
void save_result(const ResultFile& result, const std::string& path);
/// The rows with derivatives ("d(x)/d(k)") as further columns: what CSV and MAT keep.
ResultTable with_derivatives(const ResultFile& result);
/// Any text in the same way: whole or not there.
void save_text(std::string_view text, const std::string& path);
/// The format is told by the content, not by the name. Throws FileError.
ResultFile load_result(const std::string& path);

/// RFC 4180, as in csv.hpp. False if the stream failed.
bool write_csv(const ResultTable& table, std::ostream& out);
/// Also lines that end with LF alone. Throws FileError with the line; `path` is for its message.
ResultTable read_csv(std::string_view text, const std::string& path);
/// MAT version 4 with the matrices that Dymola and OpenModelica write: Aclass, name, description, dataInfo,
/// data_1, data_2. False if the stream failed; throws FileError where the format is too small.
bool write_mat(const ResultFile& result, std::ostream& out);
ResultFile read_mat(std::string_view bytes, const std::string& path);

}  // namespace saltus
