// Every text that runs, compiled for other values of its parameters: the bits are those of the text.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include <saltus/saltus.hpp>

#include "support/same_bits.hpp"

namespace saltus::test {
namespace {

struct Count {
  int texts = 0, values = 0, differ = 0;
};

/// Values of all parameters and start values that may have others.
std::vector<Named<double>> values_of(const ModelDefinition& model, double factor) {
  std::vector<Named<double>> values;
  for (const Variable& v : model.variables()) {
    const bool is_parameter = v.kind == InputKind::parameter;
    if (v.hidden || (!is_parameter && v.kind != InputKind::state)) continue;
    if (!v.no_other_value.empty() || (!is_parameter && !v.attributes.start)) continue;
    for (std::uint32_t j = 0; j < v.count; ++j)
      if (const auto start = v.start_of(j)) {
        const double other = *start * factor;
        if (other < v.attributes.min || other > v.attributes.max) continue;
        values.push_back({model.graph().variable_name(v.kind, v.first + j), other});
      }
  }
  return values;
}

void compare(const std::filesystem::path& file, Count& count) {
  std::ifstream in(file);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  const ReadModel read = read_modelica(text, file.filename().string());
  if (!read.ok()) return;
  const auto model = read.model->build();
  const auto own = values_of(*model, 1.0), other = values_of(*model, 1.01);
  if (own.empty()) return;
  RunOptions options{.t_end = std::min(read.experiment.stop_time.value_or(1.0), 1.0)};
  options.rtol = options.atol = 1e-4;
  try {
    const Solution plain = simulate(model, options);
    const CompiledModel compiled(with_values(model, other));
    try {
      (void)simulate(compiled, options);  // what is built by running is kept
    } catch (const Error&) {
    }
    EXPECT_EQ(difference(simulate(compiled.with_values(own), options), plain), "") << file;
    count.differ += difference(simulate(compiled, options), plain).empty() ? 0 : 1;
  } catch (const Error&) {
    return;  // it does not even begin
  }
  ++count.texts;
  count.values += static_cast<int>(own.size());
}

TEST(SlowCompiledTexts, RunWithOtherValuesAsIfCompiledForThem) {
  Count count;
  for (const char* folder : {SALTUS_MODELICA_CORPUS, SALTUS_MODELICA_EXAMPLES})
    for (const auto& entry : std::filesystem::directory_iterator(folder))
      if (entry.path().extension() == ".mo") compare(entry.path(), count);
  EXPECT_GT(count.texts, 120);
  EXPECT_GT(count.values, 300);
  EXPECT_GT(count.differ, 80);  // the twin: what the values were before is seen
}

}  // namespace
}  // namespace saltus::test
