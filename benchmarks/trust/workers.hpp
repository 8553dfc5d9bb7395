// Work that may crash or hang, each piece a number, in processes beside this one.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

namespace saltus::bench {

/// What a piece of work says, in one line or several.
using Piece = std::function<std::string(std::uint64_t number)>;

struct Pieces {
  std::map<std::uint64_t, std::string> said;
  std::map<std::uint64_t, std::string> died;  // by which signal; a piece that takes too long is one
};

/// Numbers first … first + n - 1 on as many processes as the machine has cores.
Pieces run_pieces(std::uint64_t first, std::uint64_t n, unsigned seconds_each, const Piece& piece);

}  // namespace saltus::bench
