// Exceptions of the library as those of saltus.errors.
#include <saltus/core/error.hpp>

#include <saltus/io/result_file.hpp>

#include "bindings.hpp"

namespace saltus::python {

namespace {

/// Raises saltus.errors.<type>(message), with one more attribute if it has a name.
void raise(const char* type, const char* message, const char* attribute = nullptr,
           const std::string& value = {}) {
  const py::object kind = py::module_::import("saltus.errors").attr(type);
  const py::object error = kind(message);
  if (attribute != nullptr) error.attr(attribute) = value;
  PyErr_SetObject(kind.ptr(), error.ptr());
}

void translate(std::exception_ptr thrown) {
  try {
    if (thrown) std::rethrow_exception(thrown);
  } catch (const UnknownOptionError& error) {
    raise("UnknownOptionError", error.what(), "field", error.field());
  } catch (const OptionError& error) {
    raise("OptionError", error.what(), "field", error.field());
  } catch (const ModelError& error) {
    raise("ModelError", error.what(), "subject", error.subject());
  } catch (const FileError& error) {
    raise("FileError", error.what(), "path", error.path());
  } catch (const Error& error) {
    raise("Error", error.what());
  } catch (const InternalError& error) {
    raise("InternalError", error.what());
  }
}

}  // namespace

void add_errors(py::module_&) { py::register_exception_translator(translate); }

}  // namespace saltus::python
