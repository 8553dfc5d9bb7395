#include <saltus/core/options.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace saltus {
namespace {

std::string with_unit(const std::string& text, const std::string& unit) {
  return unit.empty() ? text : text + ' ' + unit;
}

double as_number(const OptionValue& value) {
  if (const int* number = std::get_if<int>(&value)) return *number;
  return std::get<double>(value);
}

bool contains(const std::vector<std::string>& names, const std::string& wanted) {
  return std::find(names.begin(), names.end(), wanted) != names.end();
}

// Written so that a NaN satisfies no bound.
bool within(const OptionField& field, double x) {
  if (field.lower && !(field.lower->included ? x >= field.lower->value : x > field.lower->value)) {
    return false;
  }
  if (field.upper && !(field.upper->included ? x <= field.upper->value : x < field.upper->value)) {
    return false;
  }
  return field.infinite_allowed ? !std::isnan(x) : std::isfinite(x);
}

void check_value(const OptionField& field, const OptionValue& value) {
  bool good = true;
  if (field.type == OptionType::choice) {
    good = contains(field.choices, std::get<std::string>(value));
  } else if (field.type == OptionType::integer || field.type == OptionType::real) {
    good = within(field, as_number(value));
  }
  if (!good) {
    throw OptionError(field.name, with_unit(to_text(value), field.unit) +
                                      " is refused, it must be " + field.bounds_text());
  }
}

OptionValue read_value(const OptionField& field, std::string_view text) {
  const auto expect = [&](const auto& parsed) -> OptionValue {
    if (parsed) return *parsed;
    throw OptionError(field.name,
                      quote(text) + " is not a value of type " + std::string(name(field.type)));
  };
  switch (field.type) {
    case OptionType::boolean:
      return expect(read_bool(text));
    case OptionType::integer:
      return expect(read_int(text));
    case OptionType::real:
      return expect(read_double(text));
    case OptionType::text:
      return std::string(text);
    case OptionType::choice:
      if (!contains(field.choices, std::string(text))) {
        const auto near = nearest_name(text, field.choices);
        throw OptionError(field.name, quote(text) + " is refused, it must be " +
                                          field.bounds_text() +
                                          (near ? " (did you mean " + quote(*near) + "?)" : ""));
      }
      return std::string(text);
  }
  throw InternalError("an option has no type");
}

}  // namespace

std::string_view name(OptionType type) noexcept {
  switch (type) {
    case OptionType::boolean:
      return "bool";
    case OptionType::integer:
      return "int";
    case OptionType::real:
      return "real";
    case OptionType::text:
      return "text";
    case OptionType::choice:
      return "choice";
  }
  return "unknown";
}

std::string to_text(const OptionValue& value) {
  struct Writer {
    std::string operator()(bool x) const { return to_text(x); }
    std::string operator()(int x) const { return to_text(x); }
    std::string operator()(double x) const { return to_text(x); }
    std::string operator()(const std::string& x) const { return x; }
  };
  return std::visit(Writer{}, value);
}

std::string OptionField::bounds_text() const {
  if (type == OptionType::choice) return "one of " + join(choices, ", ");
  if (type != OptionType::integer && type != OptionType::real) return {};
  const auto describe_bound = [this](const OptionBound& bound, std::string_view relation) {
    return std::string(relation) + (bound.included ? "= " : " ") +
           with_unit(to_text(bound.value), unit);
  };
  std::vector<std::string> parts;
  if (lower) parts.push_back(describe_bound(*lower, ">"));
  if (upper) parts.push_back(describe_bound(*upper, "<"));
  if (type == OptionType::real) parts.emplace_back(infinite_allowed ? "not nan" : "finite");
  return join(parts, " and ");
}

namespace detail {

void check_option_list(const std::vector<OptionField>& fields) {
  for (std::size_t i = 0; i < fields.size(); ++i) {
    SALTUS_ASSERT(!fields[i].name.empty());
    for (std::size_t j = 0; j < i; ++j) {
      const bool names_differ = fields[i].name != fields[j].name;
      SALTUS_ASSERT(names_differ);
    }
  }
}

void validate_options(const std::vector<OptionField>& fields) {
  for (const OptionField& field : fields) check_value(field, field.get());
}

void set_option(const std::vector<OptionField>& fields, std::string_view name,
                std::string_view text) {
  for (const OptionField& field : fields) {
    if (field.name != name) continue;
    const OptionValue value = read_value(field, text);
    check_value(field, value);
    field.set(value);
    return;
  }
  std::vector<std::string> names;
  names.reserve(fields.size());
  for (const OptionField& field : fields) names.push_back(field.name);
  const auto near = nearest_name(name, names);
  throw OptionError(std::string(name),
                    near ? "no such option, did you mean " + quote(*near) + "?" : "no such option");
}

OptionInfo option_info(const OptionField& field) {
  return {field.name, std::string(name(field.type)), to_text(field.get()),
          field.unit, field.bounds_text(),           field.help};
}

std::vector<OptionPair> compare_options(const std::vector<OptionField>& given,
                                        const std::vector<OptionField>& defaults) {
  SALTUS_ASSERT(given.size() == defaults.size());
  std::vector<OptionPair> out;
  out.reserve(given.size());
  for (std::size_t i = 0; i < given.size(); ++i) {
    const OptionValue a = given[i].get();
    const OptionValue b = defaults[i].get();
    out.push_back({given[i].name, to_text(a), to_text(b), a != b});
  }
  return out;
}

}  // namespace detail
}  // namespace saltus
