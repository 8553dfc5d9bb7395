// The content of a result file, independent of its format.
//
//   save_result(result_of(solution), "belt.h5");
//   ResultFile again = load_result("belt.h5");
//
// All formats are written from this structure and read into it, so results can be converted and
// plotted without the model. HDF5 keeps everything; CSV and MAT keep the rows.
// docs/reference/results.md describes the formats.
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

/// Thrown if a file cannot be read or written. The message names it and gives the reason.
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

  /// The values of the switching function of a relation (output.switching). Files tell it by the
  /// description.
  bool is_switching() const { return description == switching_description; }
  bool exists(std::size_t row) const { return present.empty() || present[row] != 0; }

  friend bool operator==(const ResultColumn&, const ResultColumn&) = default;
};

/// A part of the run without an event. Two parts meet in two rows of the same time: both limits.
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

/// Returns the rows of a trajectory as they were requested.
ResultTable table_of(const Trajectory& trajectory);
/// Returns the whole result. If rows are not requested at events (a grid, listed times), both
/// limits are added there. If rows are further apart than a fraction 1/n_rows of the run, further
/// rows are read from the polynomials of the steps, so that curves look smooth; 0: none. The caller
/// adds parameters and the analysis.
ResultFile result_of(const Solution& solution, std::size_t n_rows = 0);

enum class ResultFormat : std::uint8_t { hdf5, mat, csv };
std::string_view name(ResultFormat format) noexcept;
/// Returns the format by file name extension: .h5 and .hdf5, .mat, .csv, in any case; nothing for
/// others.
std::optional<ResultFormat> format_of(std::string_view path);
/// Returns the message for a path whose ending is not a format: "... known are .h5, ... and .csv".
/// `also`: an ending that the caller knows besides.
std::string unknown_format(std::string_view also = {});
/// Returns one ending of each format: ".h5, .mat or .csv".
std::string result_endings();

/// Writes a temporary file and renames it when complete, so that a crash, a kill or a full disk
/// leaves either the old file or the new one. If the path exists and is not a regular file (a pipe,
/// a terminal), it is written to directly; HDF5 cannot do that. Throws FileError.
void save_result(const ResultFile& result, const std::string& path, ResultFormat format);
/// Chooses the format by the file name. Throws FileError also if the name has no known extension.
void save_result(const ResultFile& result, const std::string& path);
/// Returns the rows with derivatives ("d(x)/d(k)") as further columns: the part kept by CSV and
/// MAT.
ResultTable with_derivatives(const ResultFile& result);
/// Saves any text in the same way: completely or not at all.
void save_text(std::string_view text, const std::string& path);
/// Recognises the format by the content, not by the name. Throws FileError.
ResultFile load_result(const std::string& path);

/// Writes RFC 4180 text, as in csv.hpp. Returns false if the stream failed.
bool write_csv(const ResultTable& table, std::ostream& out);
/// Also accepts lines that end with LF alone. Throws FileError with the line; `path` is for its
/// message.
ResultTable read_csv(std::string_view text, const std::string& path);
/// Writes MAT version 4 with the matrices of Dymola and OpenModelica: Aclass, name, description,
/// dataInfo, data_1, data_2. Returns false if the stream failed; throws FileError if the result
/// exceeds the format.
bool write_mat(const ResultFile& result, std::ostream& out);
ResultFile read_mat(std::string_view bytes, const std::string& path);

}  // namespace saltus
