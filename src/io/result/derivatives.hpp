// Derivatives as a table.
#pragma once

#include <saltus/io/result_file.hpp>

namespace saltus::detail {

/// Derivatives at the rows of the solution. They are kept as steps, and end where they are not known any more.
ResultTable derivatives_at_rows(const Sensitivities& sensitivities, const ResultTable& rows);

}  // namespace saltus::detail
