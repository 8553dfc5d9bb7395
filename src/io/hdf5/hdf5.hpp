// Results as HDF5; docs/reference/results.md describes the layout.
#pragma once

#include <string>

#include <saltus/io/result_file.hpp>

namespace saltus::detail {

// Both throw FileError.
void write_hdf5(const ResultFile& result, const std::string& path);
ResultFile read_hdf5(const std::string& path);

}  // namespace saltus::detail
