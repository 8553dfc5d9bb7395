// Room on the disk, taken before it is needed: after a write that failed the library (1.10) can neither write chunks nor
// forget them, and ends the program when that exits.
#pragma once

#include <cstdint>
#include <string>

#include "io/hdf5/handle.hpp"

namespace saltus::detail {

/// So many bytes behind what the file has so far. Throws FileError if they are not there; from then on the file is one in
/// memory, so that it can be closed. Where room cannot be taken ahead (some network disks) nothing happens.
void take_room(hid_t file, std::uint64_t bytes, const std::string& path);
/// What was taken and not used, after the file was closed.
void give_room_back(const std::string& path);

}  // namespace saltus::detail
