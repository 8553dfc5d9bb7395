#include <saltus/system/formula_hash.hpp>

#include <saltus/core/text.hpp>
#include <saltus/system/tracking.hpp>

#include "system/template/formula_texts.hpp"

namespace saltus {

namespace {

/// FNV-1a (Fowler, Noll, Vo): the same on every machine, which std::hash does not promise.
std::uint64_t name_hash(std::string_view name) {
  std::uint64_t h = 0xcbf29ce484222325U;
  for (const char c : name) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return h;
}

}  // namespace

FormulaHash::FormulaHash(double constant)
    : hash_(mix(2, std::bit_cast<std::uint64_t>(constant), 0)) {
  if (auto* texts = detail::FormulaHashTexts::current()) {
    texts->add(hash_, to_text(constant), constant < 0.0 ? 0 : 2);
  }
}

FormulaHash FormulaHash::applied(std::string_view function, FormulaHash a) {
  const FormulaHash r(Raw{}, mix(name_hash(function), a.hash_, 3));
  if (auto* texts = detail::FormulaHashTexts::current()) {
    if (function == "-") {
      const std::string part = texts->part(a.hash_, 1);
      texts->add(r.hash_, part.empty() ? "" : "-" + part, 0);
    } else {
      const std::string& inner = texts->of(a.hash_).text;
      texts->add(r.hash_, inner.empty() ? "" : std::string(function) + "(" + inner + ")", 2);
    }
  }
  return r;
}

FormulaHash FormulaHash::applied(std::string_view function, FormulaHash a, FormulaHash b) {
  const FormulaHash r(Raw{}, mix(mix(name_hash(function), a.hash_, 4), b.hash_, 4));
  if (auto* texts = detail::FormulaHashTexts::current()) {
    const std::string& first = texts->of(a.hash_).text;
    const std::string& second = texts->of(b.hash_).text;
    texts->add(r.hash_,
               first.empty() || second.empty()
                   ? ""
                   : std::string(function) + "(" + first + ", " + second + ")",
               2);
  }
  return r;
}

FormulaHash FormulaHash::joined(char symbol, FormulaHash a, FormulaHash b) {
  const FormulaHash r(
      Raw{}, mix(mix(static_cast<std::uint64_t>(static_cast<unsigned char>(symbol)), a.hash_, 5),
                 b.hash_, 5));
  if (auto* texts = detail::FormulaHashTexts::current()) {
    const int binding = symbol == '+' || symbol == '-' ? 0 : 1;
    const std::string left = texts->part(a.hash_, binding);
    const std::string right =
        texts->part(b.hash_, symbol == '-' || symbol == '/' ? binding + 1 : binding);
    texts->add(r.hash_, left.empty() || right.empty() ? "" : left + " " + symbol + " " + right,
               binding);
  }
  return r;
}

namespace detail {

void FormulaHashTexts::add(std::uint64_t hash, std::string text, int binding) {
  constexpr std::size_t longest = 40;
  if (text.size() > longest) text.clear();
  texts_.try_emplace(hash, Text{std::move(text), binding});
}

const FormulaHashTexts::Text& FormulaHashTexts::of(std::uint64_t hash) const {
  static const Text unknown;
  const auto found = texts_.find(hash);
  return found == texts_.end() ? unknown : found->second;
}

std::string FormulaHashTexts::part(std::uint64_t hash, int binding) const {
  const Text& text = of(hash);
  if (text.text.empty() || text.binding >= binding) return text.text;
  return "(" + text.text + ")";
}

void note_texts(FormulaHashTexts& texts, std::uint32_t number, std::uint64_t left,
                std::uint64_t right) {
  texts.compared[number] = {texts.of(left).text, texts.of(right).text};
}

}  // namespace detail

}  // namespace saltus
