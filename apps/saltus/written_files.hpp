// Files that a command is about to write, or that it cannot read.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace saltus::app {

/// Refuses, as misuse, a path that is one of those the command reads: a slip of the keyboard must not cost anybody
/// his model or his measurements. `endings`: how its name may end; any if there are none. `flag` is for the message.
void check_written(const std::string& flag, const std::string& path,
                   std::span<const std::string> read, std::span<const std::string_view> endings);

/// Refuses to read a JSON file: those are for other programs.
void refuse_json(const std::string& path);

/// What a page may be called.
std::span<const std::string_view> page_endings();

}  // namespace saltus::app
