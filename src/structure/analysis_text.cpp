// A structural analysis in words.
#include <algorithm>

#include <saltus/structure/analysis.hpp>

namespace saltus {

namespace {

constexpr std::size_t most_names = 8;

std::string count_of(std::size_t n, const std::string& one) {
  std::string plural = one + "s";
  if (one == "degree of freedom") plural = "degrees of freedom";
  return std::to_string(n) + " " + (n == 1 ? one : plural);
}

/// The first few, and how many more there are.
template <class Range, class Name>
std::string listed(const Range& range, Name&& name) {
  std::string text;
  const std::size_t n = std::size(range);
  for (std::size_t k = 0; k < std::min(n, most_names); ++k)
    text += (k > 0 ? ", " : "") + name(range[k]);
  if (n > most_names) text += " and " + std::to_string(n - most_names) + " more";
  return text;
}

std::string quoted_names(const std::vector<std::string>& names,
                         std::span<const std::uint32_t> which) {
  return listed(which, [&](std::uint32_t k) { return "'" + names[k] + "'"; });
}

std::string times_in_words(std::uint32_t times) {
  if (times == 1) return "once";
  return times == 2 ? "twice" : std::to_string(times) + " times";
}

std::string singular_text(const StructuralAnalysis& a) {
  std::string text = a.subject + " is structurally singular\n";
  const DulmageMendelsohn::Part& over = a.parts.overdetermined;
  if (!over.equations.empty())
    text += "overdetermined: " + count_of(over.equations.size(), "equation") + " (" +
            quoted_names(a.equations, over.equations) + ") for " +
            count_of(over.unknowns.size(), "unknown") +
            (over.unknowns.empty() ? "" : " (" + quoted_names(a.unknowns, over.unknowns) + ")") +
            "\n";
  const DulmageMendelsohn::Part& under = a.parts.underdetermined;
  if (!under.unknowns.empty())
    text +=
        "underdetermined: " + count_of(under.unknowns.size(), "unknown") + " (" +
        quoted_names(a.unknowns, under.unknowns) + ") in " +
        count_of(under.equations.size(), "equation") +
        (under.equations.empty() ? "" : " (" + quoted_names(a.equations, under.equations) + ")") +
        "\n";
  return text;
}

std::string block_text(const StructuralAnalysis& a) {
  const auto size = [](const BlockTriangularForm::Block& b) { return b.equations.size(); };
  const auto largest = std::ranges::max_element(a.blocks.blocks, {}, size);
  if (largest == a.blocks.blocks.end()) return "";
  std::string text = count_of(a.blocks.blocks.size(), "block");
  if (a.blocks.blocks.size() > 1)
    text += ", the largest of " + count_of(largest->equations.size(), "equation");
  return text + "\n";
}

}  // namespace

std::string to_text(const StructuralAnalysis& analysis, const DifferentiatedEquation& equation) {
  return analysis.equations[equation.equation] + " differentiated " +
         times_in_words(equation.times);
}

std::string to_text(const StructuralAnalysis& analysis) {
  const StructuralAnalysis& a = analysis;
  if (a.is_singular()) return singular_text(a);
  const auto in_words = [&](const DifferentiatedEquation& e) { return to_text(a, e); };
  std::string text = a.subject + ": " + count_of(a.equations.size(), "equation") +
                     ", structural index " + std::to_string(a.index()) + ", " +
                     count_of(a.degrees_of_freedom(), "degree of freedom") + "\n" + block_text(a);
  if (!a.differentiated.empty())
    text += count_of(a.differentiated.size(), "differentiated equation") + ": " +
            listed(a.differentiated, in_words) + "\n";
  if (a.n_hidden_constraints > 0) {
    text += count_of(a.n_hidden_constraints, "hidden constraint");
    if (!a.hidden_constraints.empty()) text += " from: " + listed(a.hidden_constraints, in_words);
    text += "\n";
  }
  for (const SignalDemand& s : a.signals) {
    text += "input '" + a.inputs[s.signal] + "' needs " + count_of(s.order, "derivative");
    if (s.order > 0) text += " in '" + a.equations[s.equation] + "'";
    if (static_cast<std::int64_t>(s.order) > s.available)
      text += ", but its signal has " + std::to_string(s.available);
    text += "\n";
  }
  return text;
}

}  // namespace saltus
