#include "hybrid/core/option_report.hpp"

#include <cstddef>
#include <memory>

namespace saltus::detail {

namespace {

/// Fields that look at a place of their own.
struct ListedOptions {
  RunOptions place;
  std::vector<OptionField> fields = checked_fields(place);
  std::vector<OptionValue> default_values;
  std::vector<OptionPair> defaults;

  ListedOptions() {
    for (const OptionField& field : fields) {
      default_values.push_back(field.get());
      const std::string text = to_text(default_values.back());
      defaults.push_back({field.name, text, text, false});
    }
  }
  ListedOptions(const ListedOptions&) = delete;
  ListedOptions& operator=(const ListedOptions&) = delete;
};

}  // namespace

std::vector<OptionPair> checked_options(const RunOptions& options) {
  // Behind a pointer: what threads own directly is scarce in libraries that are loaded late.
  thread_local const auto owned = std::make_unique<ListedOptions>();
  ListedOptions& listed = *owned;
  listed.place = options;
  validate_options(listed.fields);
  std::vector<OptionPair> pairs = listed.defaults;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const OptionValue given = listed.fields[i].get();
    if (given == listed.default_values[i]) continue;
    pairs[i].given = to_text(given);
    pairs[i].changed = true;
  }
  return pairs;
}

}  // namespace saltus::detail
