// Texts of formulas, for as long as they are short enough to be read in a name.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include <saltus/system/formula_hash.hpp>

namespace saltus::detail {

/// While a Recording lives, formulas of its thread note their texts.
class FormulaHashTexts {
 public:
  struct Text {
    std::string text;  // empty: too long
    int binding = 2;   // 0: a sum, 1: a product, 2: neither
  };
  struct Sides {
    std::string left, right;
  };

  class Recording {
   public:
    explicit Recording(FormulaHashTexts& texts) : before_(current_) { current_ = &texts; }
    ~Recording() { current_ = before_; }
    Recording(const Recording&) = delete;
    Recording& operator=(const Recording&) = delete;

   private:
    FormulaHashTexts* before_;
  };
  static FormulaHashTexts* current() { return current_; }

  void name(FormulaHash formula, std::string text) {
    texts_[formula.hash()] = {std::move(text), 2};
  }
  void add(std::uint64_t hash, std::string text, int binding);
  /// Empty if there is none.
  const Text& of(std::uint64_t hash) const;
  /// In parentheses if it binds less.
  std::string part(std::uint64_t hash, int binding) const;

  /// Comparisons by number.
  std::unordered_map<std::uint32_t, Sides> compared;

 private:
  static constinit inline thread_local FormulaHashTexts* current_ = nullptr;
  std::unordered_map<std::uint64_t, Text> texts_;
};

}  // namespace saltus::detail
