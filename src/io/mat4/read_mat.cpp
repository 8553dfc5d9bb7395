#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <map>

#include <saltus/core/text.hpp>
#include <saltus/io/result_file.hpp>

#include "io/mat4/mat4.hpp"
#include "io/result/segments.hpp"

namespace saltus {

namespace detail {

namespace {

std::size_t mat_element_size(std::uint32_t type) {
  constexpr std::array<std::size_t, 6> sizes{8, 4, 4, 2, 2, 1};
  return sizes.at(type / 10);
}

double mat_element(std::uint32_t type, const char* at) {
  const auto as = [&]<class T>(T value) {
    std::memcpy(&value, at, sizeof value);
    return static_cast<double>(value);
  };
  switch (type / 10) {
    case 0:
      return as(double{});
    case 1:
      return as(float{});
    case 2:
      return as(std::int32_t{});
    case 3:
      return as(std::int16_t{});
    case 4:
      return as(std::uint16_t{});
    default:
      return as(std::uint8_t{});
  }
}

}  // namespace

std::vector<double> MatMatrix::numbers() const {
  std::vector<double> out(std::size_t{n_rows} * n_columns);
  const std::size_t size = mat_element_size(type);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = mat_element(type, data.data() + i * size);
  return out;
}

std::vector<std::string> MatMatrix::texts(bool in_columns) const {
  const std::vector<double> letters = numbers();
  const std::size_t n = in_columns ? n_columns : n_rows;
  const std::size_t length = in_columns ? n_rows : n_columns;
  std::vector<std::string> out(n);
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t i = 0; i < length; ++i) {
      const double letter = letters[in_columns ? k * n_rows + i : i * n_rows + k];
      out[k] +=
          static_cast<char>(static_cast<unsigned char>(letter >= 0 && letter < 256 ? letter : 63));
    }
    const std::size_t end = out[k].find_last_not_of(std::string_view("\0 \t", 3));
    out[k].resize(end == std::string::npos ? 0 : end + 1);
  }
  return out;
}

}  // namespace detail

namespace {

using detail::MatMatrix;

std::map<std::string, MatMatrix> mat_matrices_of(std::string_view bytes, const std::string& path) {
  std::map<std::string, MatMatrix> out;
  while (!bytes.empty()) {
    std::array<std::uint32_t, 5> header{};
    if (bytes.size() < sizeof header) throw FileError(path, "ends inside a matrix");
    std::memcpy(header.data(), bytes.data(), sizeof header);
    bytes.remove_prefix(sizeof header);
    const auto [type, rows, columns, imaginary, name_length] = header;
    if (type > 51 || type % 10 > 1 || imaginary != 0)
      throw FileError(path, "is not a MAT file of version 4 with real numbers, little endian");
    if (name_length == 0 || name_length > bytes.size())
      throw FileError(path, "ends inside a matrix");
    MatMatrix matrix{std::string(bytes.substr(0, name_length - 1)), type, rows, columns, {}};
    bytes.remove_prefix(name_length);
    const std::uint64_t n = std::uint64_t{rows} * columns;  // below 2^64
    const std::uint64_t size = detail::mat_element_size(type);
    if (n > bytes.size() / size)
      throw FileError(path, "ends inside the matrix " + quote(matrix.name));
    matrix.data = bytes.substr(0, n * size);
    bytes.remove_prefix(n * size);
    out.insert_or_assign(matrix.name, std::move(matrix));
  }
  return out;
}

const MatMatrix& mat_matrix_named(const std::map<std::string, MatMatrix>& all,
                                  const std::string& name, const std::string& path) {
  const auto at = all.find(name);
  if (at == all.end()) throw FileError(path, "has no matrix " + quote(name));
  return at->second;
}

/// A matrix of numbers with one row per quantity, whichever way round it is stored.
class MatRows {
 public:
  MatRows(const MatMatrix& matrix, bool transposed)
      : numbers_(matrix.numbers()),
        transposed_(transposed),
        n_(transposed ? matrix.n_rows : matrix.n_columns),
        n_points_(transposed ? matrix.n_columns : matrix.n_rows) {}
  std::size_t n() const { return n_; }
  std::size_t n_points() const { return n_points_; }
  double at(std::size_t row, std::size_t point) const {
    return numbers_[transposed_ ? point * n_ + row : row * n_points_ + point];
  }

 private:
  std::vector<double> numbers_;
  bool transposed_;
  std::size_t n_, n_points_;
};

/// "position of the mass [m]", also "[rad|deg]".
void split_description(std::string text, std::string& description, std::string& unit) {
  if (const std::size_t at = text.rfind('['); text.ends_with(']') && at != text.npos) {
    unit = text.substr(at + 1, text.size() - at - 2);
    unit = unit.substr(0, unit.find('|'));
    text.resize(at);
    while (text.ends_with(' ')) text.pop_back();
  }
  description = std::move(text);
}

/// "mode: 1 = up; 2 = down" as written here; numbers alone where the text is another.
std::vector<std::string> mat_mode_names(const std::string& description) {
  std::vector<std::string> out;
  std::string_view rest = description;
  if (!rest.starts_with("mode: 1 = ")) return out;
  rest.remove_prefix(10);
  for (int next = 2;; ++next) {
    const std::string mark = "; " + std::to_string(next) + " = ";
    const std::size_t at = rest.find(mark);
    out.emplace_back(rest.substr(0, at));
    if (at == rest.npos) return out;
    rest.remove_prefix(at + mark.size());
  }
}

/// A quantity, and where its numbers are.
struct MatColumn {
  std::size_t row;
  double sign;
};

}  // namespace

ResultFile read_mat(std::string_view bytes, const std::string& path) {
  const auto all = mat_matrices_of(bytes, path);
  const std::vector<std::string> kind = mat_matrix_named(all, "Aclass", path).texts(false);
  if (kind.size() < 4 || (kind[3] != "binTrans" && kind[3] != "binNormal"))
    throw FileError(
        path, "is a MAT file, but not a trajectory as Saltus, OpenModelica and Dymola write it");
  const bool transposed = kind[3] == "binTrans";
  const std::vector<std::string> names = mat_matrix_named(all, "name", path).texts(transposed);
  const std::vector<std::string> texts =
      mat_matrix_named(all, "description", path).texts(transposed);
  const MatRows where(mat_matrix_named(all, "dataInfo", path), transposed);
  const MatRows constants(mat_matrix_named(all, "data_1", path), transposed);
  const MatRows values(mat_matrix_named(all, "data_2", path), transposed);
  if (texts.size() != names.size() || where.n() < 2 || where.n_points() != names.size())
    throw FileError(path, "names and dataInfo have different lengths");
  if (values.n() == 0) throw FileError(path, "has no time");

  ResultFile out;
  std::vector<MatColumn> columns;
  std::optional<std::size_t> mode_row;
  std::vector<std::string> modes;
  for (std::size_t k = 0; k < names.size(); ++k) {
    const double matrix = where.at(0, k), place = where.at(1, k);
    const bool constant = matrix == 1;
    const MatRows& from = constant ? constants : values;
    // An alias with a minus sign is written as a negative place.
    if (!(std::abs(place) >= 1) || std::abs(place) > static_cast<double>(from.n()))
      throw FileError(path, "dataInfo of " + quote(names[k]) + " points outside");
    const std::size_t row = static_cast<std::size_t>(std::abs(place)) - 1;
    const double sign = place < 0 ? -1.0 : 1.0;
    std::string description, unit;
    split_description(texts[k], description, unit);
    if (constant) {
      if (from.n_points() == 0) throw FileError(path, "data_1 is empty");
      out.parameters.push_back({names[k], unit, description, sign * from.at(row, 0)});
    } else if (names[k] == detail::mat_mode_name) {
      mode_row = row;
      modes = mat_mode_names(texts[k]);
    } else if (matrix != 0 && row != 0) {
      out.table.columns.push_back({names[k], unit, description});
      columns.push_back({row, sign});
    }
  }
  detail::SegmentFinder segments(out.table);
  for (std::size_t p = 0; p < values.n_points(); ++p) {
    std::string mode;
    if (mode_row) {
      const double number = values.at(*mode_row, p);
      const bool known = number >= 1 && number <= static_cast<double>(modes.size());
      mode = known ? modes[static_cast<std::size_t>(number) - 1] : to_text(number);
    }
    segments.row(values.at(0, p), mode, "");
    for (std::size_t i = 0; i < columns.size(); ++i)
      segments.value(i, columns[i].sign * values.at(columns[i].row, p));
  }
  return out;
}

}  // namespace saltus
