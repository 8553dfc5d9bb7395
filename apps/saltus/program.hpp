// What all commands share: how a command ends, and where it speaks.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <saltus/modelica.hpp>

namespace saltus::app {

/// 64, 65 and 73 as in sysexits.h, 130 as shells say it.
enum class ExitCode : int {
  ok = 0,
  failed = 1,         // the run could not go on, or did not begin
  partial = 2,        // a limit of the run was met before its end
  usage = 64,         // the command line is wrong
  bad_model = 65,     // the model, or another file that is read
  cannot_write = 73,  // a file that was asked for
  interrupted = 130,  // by Ctrl-C; what was computed until then is saved
};

/// Ends a command. With diagnostics the message is only for machines: people read those.
class Problem : public std::runtime_error {
 public:
  Problem(ExitCode code, const std::string& message, std::vector<Diagnostic> diagnostics = {})
      : std::runtime_error(message), code_(code), diagnostics_(std::move(diagnostics)) {}
  ExitCode code() const { return code_; }
  const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }

 private:
  ExitCode code_;
  std::vector<Diagnostic> diagnostics_;
};

struct Manner {
  bool json = false;   // one object on standard output, nothing else there
  bool quiet = false;  // only what went wrong
  bool verbose = false;
};

/// To standard output. What reads there may have gone away (`saltus run … | head`): that is no reason to
/// stop, and is told by the return value.
bool say(const std::string& text);

std::string read_text_file(const std::string& path);

}  // namespace saltus::app
