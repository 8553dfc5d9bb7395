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

[[noreturn]] void refuse(const OptionField& field, const std::string& text,
                         const std::string& hint = {}) {
  throw OptionError(field.name, with_unit(text, field.unit) + " is refused, it must be " +
                                    field.bounds_text() + hint);
}

void check_choice(const OptionField& field, const std::string& text) {
  if (contains(field.choices, text)) return;
  const auto near = nearest_name(text, field.choices);
  refuse(field, quote(text), near ? " (did you mean " + quote(*near) + "?)" : "");
}

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// Elements between commas; an empty text is an empty list. Commas within brackets are part of a name: "max(a, b) < 0".
std::vector<std::string_view> elements(std::string_view text) {
  std::vector<std::string_view> out;
  if (trimmed(text).empty()) return out;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '(' || c == '[') ++depth;
    if (c == ')' || c == ']') --depth;
    if (c != ',' || depth > 0) continue;
    out.push_back(trimmed(text.substr(begin, i - begin)));
    begin = i + 1;
  }
  out.push_back(trimmed(text.substr(begin)));
  return out;
}

// Each element by `read`, which gives nothing for what it cannot read; then there is no list.
template <class T, class Read>
std::optional<std::vector<T>> read_list(std::string_view text, Read&& read) {
  std::vector<T> out;
  for (const std::string_view element : elements(text)) {
    std::optional<T> value = read(element);
    if (!value) return std::nullopt;
    out.push_back(std::move(*value));
  }
  return out;
}

std::optional<std::string> read_word(std::string_view text) {
  if (text.empty()) return std::nullopt;
  return std::string(text);
}

/// The first '=' that is not of a comparison: names and values may be conditions, "h <= 0=when h <= -1".
std::size_t plain_equals(std::string_view text) {
  constexpr std::string_view before = "<>=!";
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '=') continue;
    const bool compares = (i > 0 && before.find(text[i - 1]) != before.npos) ||
                          (i + 1 < text.size() && text[i + 1] == '=');
    if (!compares) return i;
  }
  return std::string_view::npos;
}

template <class T, class Read>
std::optional<Named<T>> read_named(std::string_view text, Read&& read) {
  const auto equals = plain_equals(text);
  if (equals == std::string_view::npos) return std::nullopt;
  const std::string_view name = trimmed(text.substr(0, equals));
  std::optional<T> value = read(trimmed(text.substr(equals + 1)));
  if (name.empty() || !value) return std::nullopt;
  return Named<T>{std::string(name), std::move(*value)};
}

struct ValueWriter {
  std::string operator()(bool x) const { return to_text(x); }
  std::string operator()(int x) const { return to_text(x); }
  std::string operator()(double x) const { return to_text(x); }
  std::string operator()(const std::string& x) const { return x; }
  template <class T>
  std::string operator()(const Named<T>& x) const {
    return x.name + "=" + (*this)(x.value);
  }
  template <class T>
  std::string operator()(const std::vector<T>& list) const {
    std::vector<std::string> texts;
    for (const T& x : list) texts.push_back((*this)(x));
    return join(texts, ", ");
  }
};

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
    case OptionType::choice:
      return std::string(text);
    case OptionType::reals:
      return expect(read_list<double>(text, read_double));
    case OptionType::texts:
      return expect(read_list<std::string>(text, read_word));
    case OptionType::named_reals:
      return expect(read_list<Named<double>>(
          text, [](std::string_view e) { return read_named<double>(e, read_double); }));
    case OptionType::named_texts:
    case OptionType::named_choices:
      return expect(read_list<Named<std::string>>(
          text, [](std::string_view e) { return read_named<std::string>(e, read_word); }));
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
    case OptionType::reals:
      return "list of reals";
    case OptionType::texts:
      return "list of names";
    case OptionType::named_reals:
      return "list of name=real";
    case OptionType::named_texts:
      return "list of name=text";
    case OptionType::named_choices:
      return "list of name=choice";
  }
  return "unknown";
}

std::string to_text(const OptionValue& value) { return std::visit(ValueWriter{}, value); }

std::string OptionField::bounds_text() const {
  if (type == OptionType::choice || type == OptionType::named_choices)
    return "one of " + join(choices, ", ");
  const bool is_real =
      type == OptionType::real || type == OptionType::reals || type == OptionType::named_reals;
  if (type != OptionType::integer && !is_real) return {};
  const auto describe_bound = [this](const OptionBound& bound, std::string_view relation) {
    return std::string(relation) + (bound.included ? "= " : " ") +
           with_unit(to_text(bound.value), unit);
  };
  std::vector<std::string> parts;
  if (lower) parts.push_back(describe_bound(*lower, ">"));
  if (upper) parts.push_back(describe_bound(*upper, "<"));
  if (is_real) parts.emplace_back(infinite_allowed ? "not nan" : "finite");
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

void check_option_value(const OptionField& field, const OptionValue& value) {
  switch (field.type) {
    case OptionType::choice:
      return check_choice(field, std::get<std::string>(value));
    case OptionType::named_choices:
      for (const Named<std::string>& x : std::get<std::vector<Named<std::string>>>(value))
        check_choice(field, x.value);
      return;
    case OptionType::integer:
    case OptionType::real:
      if (!within(field, as_number(value))) refuse(field, to_text(value));
      return;
    case OptionType::reals:
      for (const double x : std::get<std::vector<double>>(value))
        if (!within(field, x)) refuse(field, to_text(x));
      return;
    case OptionType::named_reals:
      for (const Named<double>& x : std::get<std::vector<Named<double>>>(value))
        if (!within(field, x.value)) refuse(field, x.name + "=" + to_text(x.value));
      return;
    case OptionType::boolean:
    case OptionType::text:
    case OptionType::texts:
    case OptionType::named_texts:
      return;
  }
}

void validate_options(const std::vector<OptionField>& fields) {
  for (const OptionField& field : fields) check_option_value(field, field.get());
}

void set_option(const std::vector<OptionField>& fields, std::string_view name,
                std::string_view text) {
  for (const OptionField& field : fields) {
    if (field.name != name) continue;
    const OptionValue value = read_value(field, text);
    check_option_value(field, value);
    field.set(value);
    return;
  }
  std::vector<std::string> names;
  names.reserve(fields.size());
  for (const OptionField& field : fields) names.push_back(field.name);
  const auto near = nearest_name(name, names);
  throw UnknownOptionError(
      std::string(name),
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
