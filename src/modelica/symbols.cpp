#include "modelica/symbols.hpp"

#include <saltus/core/text.hpp>

namespace saltus::modelica {

std::string text_of(Type type) {
  switch (type) {
    case Type::real:
      return "Real";
    case Type::integer:
      return "Integer";
    case Type::boolean:
      return "Boolean";
    case Type::enumeration:
      return "enumeration";
    case Type::string:
      return "String";
  }
  return {};
}

std::string element_name(const Symbol& s, std::uint32_t element) {
  if (!s.is_array()) return s.name();
  std::string text;
  for (std::size_t k = s.dimensions.size(); k-- > 0;) {
    text = std::to_string(element % s.dimensions[k] + 1) + (text.empty() ? "" : "," + text);
    element /= s.dimensions[k];
  }
  return s.name() + "[" + text + "]";
}

bool SymbolTable::add(Symbol s) {
  if (!by_name_.try_emplace(s.name(), size()).second) return false;
  symbols_.push_back(std::move(s));
  return true;
}

std::uint32_t SymbolTable::find(const std::string& name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? none : found->second;
}

std::uint32_t SymbolTable::find_array(const std::string& name) const {
  const std::uint32_t whole = find(name);
  return whole != none ? whole : find(name.substr(0, name.rfind('[')));
}

std::string SymbolTable::suggestion(const std::string& name,
                                    const std::vector<std::string>& further) const {
  std::vector<std::string_view> names;
  for (const Symbol& s : symbols_) names.push_back(s.name());
  names.insert(names.end(), further.begin(), further.end());
  const auto near = nearest_name(name, names);
  return near ? ": did you mean '" + std::string(*near) + "'?" : "";
}

}  // namespace saltus::modelica
