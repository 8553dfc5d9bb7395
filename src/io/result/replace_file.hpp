// Files that are complete or not there.
#pragma once

#include <functional>
#include <iosfwd>
#include <string>

namespace saltus::detail {

/// Lets `write` fill a file beside `path`, then puts it there (see save_result).
void replace_file(const std::string& path, bool needs_a_file,
                  const std::function<void(const std::string&)>& write);
/// The same for what goes into a stream; `write` returns false if the stream failed.
void write_stream_file(const std::string& path, const std::function<bool(std::ostream&)>& write);
std::string read_whole_file(const std::string& path);
/// What the system says went wrong last.
std::string system_reason();

}  // namespace saltus::detail
