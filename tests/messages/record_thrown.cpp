// Records the message of every exception that a program throws. Loaded before its other libraries
// (LD_PRELOAD), it stands between `throw` and the C++ runtime. Messages are appended to the file that
// SALTUS_THROWN names: one per line, a new line as \n and a backslash as two of them.

#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <exception>
#include <string>
#include <typeinfo>

namespace {

using Throw = void (*)(void* object, std::type_info* type, void (*destroy)(void*));

// Returns the object as an exception, or null if its type does not derive from std::exception.
const std::exception* as_exception(void* object, const std::type_info& type) {
  // A catch clause asks the same, and moves the pointer to the base.
  return typeid(std::exception).__do_catch(&type, &object, 1)
             ? static_cast<const std::exception*>(object)
             : nullptr;
}

// Returns a message as one line.
std::string line_of(const char* message) {
  std::string line;
  for (const char* c = message; *c != '\0'; ++c) {
    if (*c == '\n') {
      line += "\\n";
    } else if (*c == '\\') {
      line += "\\\\";
    } else {
      line += *c;
    }
  }
  return line + '\n';
}

void append(const char* path, const std::string& line) {
  const int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (file < 0) std::abort();
  // One write: processes and threads may append at the same time.
  const ssize_t n_written = write(file, line.data(), line.size());
  close(file);
  if (n_written != static_cast<ssize_t>(line.size())) std::abort();
}

void record(void* object, const std::type_info& type) {
  const char* path = std::getenv("SALTUS_THROWN");
  if (path == nullptr) return;
  const std::exception* thrown = as_exception(object, type);
  if (thrown != nullptr) append(path, line_of(thrown->what()));
}

}  // namespace

// NOLINTNEXTLINE(bugprone-reserved-identifier,readability-identifier-naming)
extern "C" [[noreturn, gnu::visibility("default")]] void __cxa_throw(void* object,
                                                                     std::type_info* type,
                                                                     void (*destroy)(void*)) {
  static const Throw real = reinterpret_cast<Throw>(dlsym(RTLD_NEXT, "__cxa_throw"));
  record(object, *type);
  real(object, type, destroy);
  std::abort();
}
