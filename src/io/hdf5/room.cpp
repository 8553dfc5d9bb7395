#include "io/hdf5/room.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include <saltus/io/result_file.hpp>

#include "io/result/replace_file.hpp"

namespace saltus::detail {

void take_room(hid_t file, std::uint64_t bytes, const std::string& path) {
  void* handle = nullptr;
  hsize_t size = 0;
  if (H5Fget_vfd_handle(file, H5P_DEFAULT, &handle) < 0 || handle == nullptr ||
      H5Fget_filesize(file, &size) < 0)
    return;
  const int descriptor = *static_cast<const int*>(handle);
  if (::fallocate(descriptor, FALLOC_FL_KEEP_SIZE, static_cast<off_t>(size),
                  static_cast<off_t>(bytes)) == 0)
    return;
  const int reason = errno;
  if (reason != ENOSPC && reason != EDQUOT && reason != EFBIG) return;
  // What is not written takes no memory.
  const int memory = ::memfd_create("saltus", MFD_CLOEXEC);
  if (memory >= 0) {
    if (::ftruncate(memory, static_cast<off_t>(size)) == 0) ::dup2(memory, descriptor);
    ::close(memory);
  }
  errno = reason;
  throw FileError(path, "cannot be written: " + system_reason());
}

void give_room_back(const std::string& path) {
  std::error_code ignored;
  const std::uintmax_t size = std::filesystem::file_size(path, ignored);
  if (!ignored) std::filesystem::resize_file(path, size, ignored);
}

}  // namespace saltus::detail
