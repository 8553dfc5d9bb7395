// Matrices of MAT version 4: a header of five numbers, a name, the elements column by column.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace saltus::detail {

/// Digits MOPT of a type: M 0 little endian, P the kind of number, T 1 for text. The ones used here:
inline constexpr std::uint32_t mat_double = 0, mat_single = 10, mat_int32 = 20, mat_text = 51;

struct MatMatrix {
  std::string name;
  std::uint32_t type = mat_double;
  std::uint32_t n_rows = 0, n_columns = 0;
  std::string_view data;

  /// As double, whatever the type; column by column.
  std::vector<double> numbers() const;
  /// Texts in columns, or in rows, without what fills them up.
  std::vector<std::string> texts(bool in_columns) const;
};

/// Names of quantities are reserved that begin with a dollar sign: this one has the number of the mode.
inline constexpr std::string_view mat_mode_name = "$mode";

}  // namespace saltus::detail
