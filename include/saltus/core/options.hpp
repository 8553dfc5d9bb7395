// Options as plain structs: one list per struct declares names, bounds and help texts.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <saltus/core/error.hpp>
#include <saltus/core/text.hpp>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace saltus {

// Options are plain structs with defaults. One list per struct declares everything else about them:
//
//   struct NewtonOptions {
//     // The iteration stops once ||dx|| <= rtol * ||x||.
//     double rtol = 1e-8;
//     int max_iterations = 10;
//     Norm norm = Norm::wrms;
//   };
//   constexpr auto option_choices(Norm) {
//     return std::array{Choice{"wrms", Norm::wrms}, Choice{"max", Norm::max}};
//   }
//   template <class V>
//   void describe(NewtonOptions& o, V& field) {
//     field("rtol", o.rtol).above(0).at_most(1).help("relative size of the last step");
//     field("max_iterations", o.max_iterations).at_least(1).help("steps before giving up");
//     field("norm", o.norm).help("how a step is measured");
//   }
//
// validate_options, set_option, list_options, compare_options and same_options use this list. A
// member that is itself a described struct is listed the same way, field("newton", o.newton), and
// its fields become "newton.rtol" and so on. A double is never NaN, and finite unless
// .infinite_allowed() is set.

// One name of an enumeration; see option_choices above.
template <class E>
struct Choice {
  std::string_view name;
  E value;
};
template <class E>
Choice(const char*, E) -> Choice<E>;

// A value for one of many: the tolerance of a variable, the engine of a mode.
template <class T>
struct Named {
  std::string name;
  T value{};

  friend bool operator==(const Named&, const Named&) = default;
};

// Lists are written with commas, "1, 2.5" or "x=1e-9, der(y)=1e-6". Bounds hold for each element.
enum class OptionType {
  boolean,
  integer,
  real,
  text,
  choice,
  reals,
  texts,
  named_reals,
  named_texts,
  named_choices
};
std::string_view name(OptionType type) noexcept;

// The value of an option without its struct. Choices are represented by their names.
using OptionValue =
    std::variant<bool, int, double, std::string, std::vector<double>, std::vector<std::string>,
                 std::vector<Named<double>>, std::vector<Named<std::string>>>;
std::string to_text(const OptionValue& value);

struct OptionBound {
  double value = 0.0;
  bool included = true;
};

// One entry of the list: the declaration of a field, and access to the field itself.
struct OptionField {
  std::string name;
  OptionType type = OptionType::text;
  std::string unit;
  std::string help;
  std::optional<OptionBound> lower, upper;
  bool infinite_allowed = false;
  std::vector<std::string> choices;

  std::function<OptionValue()> get;
  std::function<void(const OptionValue&)> set;

  // Returns the bounds in words, with unit: "> 0 s and <= 1 s"; empty if there are none.
  std::string bounds_text() const;
};

// The columns of an option table for one option.
struct OptionInfo {
  std::string name;
  std::string type;
  std::string default_value;
  std::string unit;
  std::string bounds;
  std::string help;
};

struct OptionPair {
  std::string name;
  std::string given;
  std::string default_value;
  bool changed = false;
};

// The visitor that collects a list; describe() receives it as `field`.
class OptionList {
 public:
  template <class T>
  class Line;

  explicit OptionList(std::string prefix = {}) : prefix_(std::move(prefix)) {}

  template <class T>
  auto operator()(std::string_view field_name, T& member);

  std::vector<OptionField> take() { return std::move(fields_); }

 private:
  std::string prefix_;
  std::vector<OptionField> fields_;
};

// Continues one entry. Only numbers have bounds: a bound on a text does not compile.
template <class T>
class OptionList::Line {
  static constexpr bool is_integer = std::is_same_v<T, int>;
  static constexpr bool is_real = std::is_same_v<T, double> ||
                                  std::is_same_v<T, std::vector<double>> ||
                                  std::is_same_v<T, std::vector<Named<double>>>;
  static constexpr bool is_number = is_integer || is_real;
  using Bound = std::conditional_t<is_integer, int, double>;

 public:
  explicit Line(OptionField& field) : field_(&field) {}

  Line& at_least(Bound b) requires is_number { return lower({static_cast<double>(b), true}); }
  Line& above(Bound b) requires is_number { return lower({static_cast<double>(b), false}); }
  Line& at_most(Bound b) requires is_number { return upper({static_cast<double>(b), true}); }
  Line& below(Bound b) requires is_number { return upper({static_cast<double>(b), false}); }
  Line& bounds(Bound low, Bound high) requires is_number { return at_least(low).at_most(high); }
  Line& infinite_allowed() requires is_real {
    field_->infinite_allowed = true;
    return *this;
  }
  Line& unit(std::string_view text) {
    field_->unit = text;
    return *this;
  }
  Line& help(std::string_view text) {
    field_->help = text;
    return *this;
  }

 private:
  Line& lower(OptionBound bound) {
    field_->lower = bound;
    return *this;
  }
  Line& upper(OptionBound bound) {
    field_->upper = bound;
    return *this;
  }

  OptionField* field_;  // valid until the next entry of the list begins
};

namespace detail {

template <class T>
struct IsNamedChoice : std::false_type {};
template <class E>
struct IsNamedChoice<std::vector<Named<E>>> : std::is_enum<E> {};

// The part of the work that does not depend on the struct.
void check_option_list(const std::vector<OptionField>& fields);
/// Throws OptionError if a value is out of bounds, or no choice of the field.
void check_option_value(const OptionField& field, const OptionValue& value);
void validate_options(const std::vector<OptionField>& fields);
void set_option(const std::vector<OptionField>& fields, std::string_view name,
                std::string_view text);
OptionInfo option_info(const OptionField& field);
std::vector<OptionPair> compare_options(const std::vector<OptionField>& given,
                                        const std::vector<OptionField>& defaults);

template <class T>
constexpr OptionType option_type() {
  if constexpr (std::is_same_v<T, bool>) return OptionType::boolean;
  if constexpr (std::is_same_v<T, int>) return OptionType::integer;
  if constexpr (std::is_same_v<T, double>) return OptionType::real;
  if constexpr (std::is_enum_v<T>) return OptionType::choice;
  if constexpr (std::is_same_v<T, std::vector<double>>) return OptionType::reals;
  if constexpr (std::is_same_v<T, std::vector<std::string>>) return OptionType::texts;
  if constexpr (std::is_same_v<T, std::vector<Named<double>>>) return OptionType::named_reals;
  if constexpr (std::is_same_v<T, std::vector<Named<std::string>>>) return OptionType::named_texts;
  if constexpr (IsNamedChoice<T>::value) return OptionType::named_choices;
  return OptionType::text;
}

template <class E>
std::string name_of_choice(E value) {
  for (const Choice<E>& choice : option_choices(E{})) {
    if (choice.value == value) return std::string(choice.name);
  }
  // A value without a name, made by a cast, is shown as a number and refused by validation.
  return to_text(static_cast<std::int64_t>(value));
}

/// `before` if nothing has that name.
template <class E>
E choice_called(const std::string& name, E before) {
  for (const Choice<E>& choice : option_choices(E{})) {
    if (choice.name == name) return choice.value;
  }
  return before;
}

template <class E>
void list_choices(OptionField& field) {
  for (const Choice<E>& choice : option_choices(E{})) field.choices.emplace_back(choice.name);
}

template <class E>
void connect_choice(OptionField& field, E& member) {
  list_choices<E>(field);
  field.get = [&member]() -> OptionValue { return name_of_choice(member); };
  field.set = [&member](const OptionValue& value) {
    member = choice_called(std::get<std::string>(value), member);
  };
}

template <class E>
void connect_choice(OptionField& field, std::vector<Named<E>>& member) {
  list_choices<E>(field);
  field.get = [&member]() -> OptionValue {
    std::vector<Named<std::string>> named;
    for (const Named<E>& x : member) named.push_back({x.name, name_of_choice(x.value)});
    return named;
  };
  field.set = [&member](const OptionValue& value) {
    member.clear();
    for (const Named<std::string>& x : std::get<std::vector<Named<std::string>>>(value))
      member.push_back({x.name, choice_called(x.value, E{})});
  };
}

template <class O>
std::vector<OptionField> option_fields(O& options, std::string prefix = {}) {
  OptionList list(std::move(prefix));
  describe(options, list);  // found by argument-dependent lookup
  return list.take();
}

template <class O>
std::vector<OptionField> checked_fields(O& options) {
  std::vector<OptionField> fields = option_fields(options);
  check_option_list(fields);
  return fields;
}

}  // namespace detail

template <class T>
auto OptionList::operator()(std::string_view field_name, T& member) {
  constexpr bool is_leaf =
      std::is_same_v<T, std::string> || detail::option_type<T>() != OptionType::text;
  std::string full_name = prefix_ + std::string(field_name);
  if constexpr (is_leaf) {
    OptionField& field = fields_.emplace_back();
    field.name = std::move(full_name);
    field.type = detail::option_type<T>();
    if constexpr (std::is_enum_v<T> || detail::IsNamedChoice<T>::value) {
      detail::connect_choice(field, member);
    } else {
      field.get = [&member]() -> OptionValue { return member; };
      field.set = [&member](const OptionValue& value) { member = std::get<T>(value); };
    }
    return Line<T>(field);
  } else {
    static_assert(std::is_class_v<T>,
                  "an option is a bool, int, double, std::string, enum, list or described struct");
    for (OptionField& field : detail::option_fields(member, full_name + '.')) {
      fields_.push_back(std::move(field));
    }
  }
}

// Throws OptionError for the first field out of bounds, naming field, value, unit and bound.
template <class O>
void validate_options(const O& options) {
  O copy = options;  // describe() takes a mutable struct
  detail::validate_options(detail::checked_fields(copy));
}

// Sets one field from text. Throws OptionError and changes nothing if the name is unknown (the
// message suggests the nearest one), or if the text is not a value of the field's type or is out of
// bounds.
template <class O>
void set_option(O& options, std::string_view name, std::string_view text) {
  detail::set_option(detail::checked_fields(options), name, text);
}

// Returns all options with their defaults, in the order of the list.
template <class O>
std::vector<OptionInfo> list_options() {
  O defaults{};
  std::vector<OptionInfo> out;
  for (const OptionField& field : detail::checked_fields(defaults)) {
    out.push_back(detail::option_info(field));
  }
  return out;
}

// Returns each option with its given and its default value, for reports.
template <class O>
std::vector<OptionPair> compare_options(const O& given) {
  O copy = given;
  O defaults{};
  return detail::compare_options(detail::checked_fields(copy), detail::checked_fields(defaults));
}

// Returns whether all described fields are equal. Fields that are not in the list do not count.
template <class O>
bool same_options(const O& a, const O& b) {
  O copy_a = a;
  O copy_b = b;
  for (const OptionPair& pair :
       detail::compare_options(detail::checked_fields(copy_a), detail::checked_fields(copy_b))) {
    if (pair.changed) return false;
  }
  return true;
}

}  // namespace saltus
