// Datasets and attributes of a file that is written.
#pragma once

#include <algorithm>
#include <cerrno>
#include <string>
#include <vector>

#include <saltus/core/text.hpp>
#include <saltus/io/result_file.hpp>

#include "io/hdf5/handle.hpp"
#include "io/result/replace_file.hpp"

namespace saltus::detail {

/// Datasets and attributes below one group. Throws FileError at whatever fails.
class Hdf5Group {
 public:
  Hdf5Group(hid_t at, const std::string& path) : at_(at), path_(path) {}

  Hdf5Handle group(const char* name) const {
    Hdf5Handle made(H5Gcreate2(at_, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose);
    if (!made.ok()) fail(name);
    return made;
  }

  void numbers(const char* name, const std::vector<double>& values) const {
    put(name, {values.size()}, H5T_NATIVE_DOUBLE, values.data());
  }
  /// rows x columns, one row after the other.
  void matrix(const char* name, std::size_t rows, std::size_t columns,
              const std::vector<double>& values) const {
    put(name, {rows, columns}, H5T_NATIVE_DOUBLE, values.data());
  }
  void truths(const char* name, const std::vector<std::uint8_t>& values) const {
    put(name, {values.size()}, hdf5_truth_type(), values.data());
  }
  void truths(const char* name, std::size_t rows, std::size_t columns,
              const std::vector<std::uint8_t>& values) const {
    put(name, {rows, columns}, hdf5_truth_type(), values.data());
  }
  void integers(const char* name, const std::vector<int>& values) const {
    put(name, {values.size()}, H5T_NATIVE_INT, values.data());
  }
  void counts(const char* name, const std::vector<std::uint64_t>& values) const {
    put(name, {values.size()}, H5T_NATIVE_UINT64, values.data());
  }
  void texts(const char* name, const std::vector<std::string>& values) const {
    std::size_t longest = 1;
    for (const std::string& value : values) longest = std::max(longest, value.size());
    std::string all;
    all.reserve(longest * values.size());
    for (const std::string& value : values) {
      all += value;
      all.append(longest - value.size(), '\0');
    }
    put(name, {values.size()}, hdf5_text_type(longest), all.data());
  }
  void text(const char* name, const std::string& value) const {
    put(name, {}, hdf5_text_type(value.size() + 1), value.c_str());
  }
  void attribute(const char* name, const std::string& value) const {
    const Hdf5Handle type = hdf5_text_type(value.size() + 1);
    const Hdf5Handle space(H5Screate(H5S_SCALAR), H5Sclose);
    const Hdf5Handle made(H5Acreate2(at_, name, type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
    if (!made.ok() || H5Awrite(made, type, value.c_str()) < 0) fail(name);
  }
  void attribute(const char* name, double value) const {
    const Hdf5Handle space(H5Screate(H5S_SCALAR), H5Sclose);
    const Hdf5Handle made(H5Acreate2(at_, name, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT),
                          H5Aclose);
    if (!made.ok() || H5Awrite(made, H5T_NATIVE_DOUBLE, &value) < 0) fail(name);
  }
  const std::string& path() const { return path_; }

 private:
  void put(const char* name, const std::vector<hsize_t>& shape, hid_t type,
           const void* data) const {
    const Hdf5Handle space(
        shape.empty() ? H5Screate(H5S_SCALAR)
                      : H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr),
        H5Sclose);
    const Hdf5Handle made(H5Dcreate2(at_, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                          H5Dclose);
    if (!made.ok()) fail(name);
    hsize_t n = 1;
    for (const hsize_t extent : shape) n *= extent;
    if (n > 0 && H5Dwrite(made, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) < 0) fail(name);
  }
  [[noreturn]] void fail(const char* name) const {
    throw FileError(path_, "cannot be written (" + quote(name) + "): " + system_reason());
  }

  hid_t at_;
  const std::string& path_;
};

inline Hdf5Handle create_hdf5(const std::string& path) {
  errno = 0;
  // Readable since 1.8 (2008), and the first with checksums over what the library needs to find its way.
  const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V18);
  Hdf5Handle file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access), H5Fclose);
  if (!file.ok()) throw FileError(path, "cannot be opened for writing: " + system_reason());
  return file;
}

inline void close_hdf5(Hdf5Handle& file, const std::string& path) {
  errno = 0;
  if (!file.close()) throw FileError(path, "cannot be written: " + system_reason());
}

}  // namespace saltus::detail
