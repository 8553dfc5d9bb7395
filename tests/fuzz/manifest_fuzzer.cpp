// Any bytes as the manifest of a sweep: a plan or a refusal that says why comes back.
#include <saltus/core/error.hpp>

#include "fuzz/input.hpp"
#include "program.hpp"
#include "sweep_manifest.hpp"

namespace {

constexpr std::string_view model = R"(model Ball
  parameter Real e = 0.8;
  Real h(start = 1, fixed = true), v(start = 0, fixed = true);
equation
  der(h) = v;
  der(v) = -9.81;
  when h < 0 then
    reinit(v, -e * pre(v));
  end when;
end Ball;
)";

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const saltus::fuzz::InputFile file(".toml");
  static const bool is_ready = [] {
    std::ofstream(file.path().parent_path() / "ball.mo") << model;
    return true;
  }();
  saltus::fuzz::plant_overrun(data, size);
  // Names of files outside of the folder are not the reader's business.
  const std::string_view text = saltus::fuzz::text_of(data, size);
  if (!is_ready || text.find('/') != text.npos || text.find("\\u") != text.npos) return 0;
  try {
    saltus::app::read_manifest(file.write(data, size).string());
  } catch (const saltus::app::Problem& problem) {
    if (std::string_view(problem.what()).empty()) __builtin_trap();
  } catch (const saltus::Error& error) {
    if (std::string_view(error.what()).empty()) __builtin_trap();
  }
  return 0;
}
