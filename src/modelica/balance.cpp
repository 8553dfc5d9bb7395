// Whether the equations can determine the unknowns, told with names and lines.
#include <algorithm>

#include <saltus/core/text.hpp>
#include <saltus/structure/blocks.hpp>

#include "modelica/builder.hpp"
#include "modelica/builder_attempt.hpp"

namespace saltus::modelica {

namespace {

/// "'a', 'b' and 'c'"; of many the first ones.
std::string listed(const std::vector<std::string>& items) {
  constexpr std::size_t most = 5;
  std::string text;
  const std::size_t n = std::min(items.size(), most);
  for (std::size_t k = 0; k < n; ++k) {
    const bool is_last = k + 1 == n && items.size() <= most;
    text += (k == 0 ? "" : is_last ? " and " : ", ") + items[k];
  }
  if (items.size() > most) text += " and " + std::to_string(items.size() - most) + " more";
  return text;
}

std::string count_of(std::size_t n, const std::string& one) {
  return std::to_string(n) + " " + one + (n == 1 ? "" : "s");
}

}  // namespace

void Builder::add_model_equation(const std::string& name, const Expr& left, const Expr& right,
                                 Span where) {
  Graph& g = translator_->graph();
  result_.model->equation(name, left == right);
  const NodeId residual = g.sub(left.in(g), right.in(g));
  written_.push_back({residual, where, g.is_array(residual) ? g.lane_count(residual) : 1});
  result_.equations.push_back({name, where.begin, where.length});
}

Span Builder::declaration_of(const std::string& element) const {
  std::uint32_t s = symbols_.find(element);
  if (s == SymbolTable::none) s = symbols_.find(element.substr(0, element.rfind('[')));
  return s == SymbolTable::none ? model_class_->span : symbols_[s].declaration->span;
}

/// "line 3" or "lines 3, 5 and 6"
std::string Builder::lines_of(const std::vector<Span>& spans) const {
  std::vector<std::uint32_t> lines;
  for (const Span& s : spans) lines.push_back(source_.line_of(s.begin));
  std::sort(lines.begin(), lines.end());
  lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
  std::vector<std::string> texts;
  for (const std::uint32_t line : lines) texts.push_back(std::to_string(line));
  return (texts.size() == 1 ? "line " : "lines ") + listed(texts);
}

void Builder::check_balance() {
  const Graph& g = translator_->graph();
  const std::uint32_t n_states = g.count(InputKind::state);
  const std::uint32_t n_unknowns = n_states + g.count(InputKind::algebraic);
  if (n_unknowns == 0)
    refuse(model_class_->span,
           "this model has no unknowns, so there is nothing to compute: declare a variable "
           "('Real x;') and write an equation for it");
  std::vector<NodeId> residuals;
  std::vector<Span> place;  // of every row
  for (const WrittenEquation& q : written_) {
    residuals.push_back(q.residual);
    place.insert(place.end(), q.count, q.span);
  }
  SignatureMatrix s;
  s.n_unknowns = n_unknowns;
  std::vector<std::uint8_t> occurs(n_unknowns, 0), is_differentiated(n_unknowns, 0);
  const Incidence rows = incidence(g, residuals);
  for (std::size_t i = 0; i < rows.n_rows(); ++i) {
    const std::uint32_t first = s.row_start.back();
    for (const Input& in : rows.row(i)) {
      if (in.kind != InputKind::state && in.kind != InputKind::algebraic) continue;
      const std::uint32_t j = in.kind == InputKind::state ? in.index : n_states + in.index;
      occurs[j] = 1;
      if (in.order > 0) is_differentiated[j] = 1;
      if (s.entries.size() > first && s.entries.back().unknown == j) s.entries.pop_back();
      s.entries.push_back({j, in.order});
    }
    if (s.entries.size() == first)
      messages_.error(place[i],
                      "there is no unknown in this equation, only numbers, parameters and values "
                      "that events set: remove it, or write 'assert(...)' if it should be checked");
    s.end_row();
  }
  if (messages_.has_errors()) return;
  const Matching matching = maximum_matching(s);
  if (matching.is_perfect()) return;

  const auto name = [&](std::uint32_t j) {
    return j < n_states ? g.variable_name(InputKind::state, j)
                        : g.variable_name(InputKind::algebraic, j - n_states);
  };
  const auto quoted_names = [&](const std::vector<std::uint32_t>& unknowns) {
    std::vector<std::string> names;
    for (const std::uint32_t j : unknowns) names.push_back("'" + name(j) + "'");
    return listed(names);
  };
  const std::string counts = "the model has " + count_of(n_unknowns, "unknown") + " and " +
                             count_of(rows.n_rows(), "equation");
  const DulmageMendelsohn parts = dulmage_mendelsohn(s, matching);

  // Too many equations for some unknowns: whichever is wrong, it is one of these.
  if (const auto& over = parts.overdetermined; !over.equations.empty()) {
    std::vector<Span> spans;
    for (const std::uint32_t i : over.equations) spans.push_back(place[i]);
    const Span last = *std::max_element(spans.begin(), spans.end(),
                                        [](Span a, Span b) { return a.begin < b.begin; });
    const std::size_t n = over.equations.size() - over.unknowns.size();
    // A variable that one equation gives is the name of an expression in all others: they would not name it.
    bool is_told = false;
    for (const GivenTwice& twice : given_twice_) {
      if (std::ranges::none_of(spans, [&](Span q) { return q.begin == twice.second.begin; }))
        continue;
      is_told = true;
      messages_.error(twice.second, "'" + twice.name + "' has two equations, in " +
                                        lines_of({twice.first, twice.second}) + " (" + counts +
                                        "): remove one of them");
    }
    if (is_told) return;
    messages_.error(
        last,
        lines_of(spans) + (spans.size() == 1 ? " has " : " have ") +
            count_of(over.equations.size(), "equation") + " for " +
            (over.unknowns.size() == 1 ? "the unknown "
                                       : "the " + count_of(over.unknowns.size(), "unknown") + " ") +
            quoted_names(over.unknowns) + ", " + std::to_string(n) + " too many (" + counts +
            "): remove " + (n == 1 ? "one of them" : std::to_string(n) + " of them") +
            ", or bring another variable into it");
  }

  std::vector<std::uint32_t> open;
  for (const std::uint32_t j : parts.underdetermined.unknowns) {
    if (occurs[j] != 0) {
      open.push_back(j);
      continue;
    }
    messages_.error(declaration_of(name(j)),
                    "'" + name(j) + "' occurs in no equation, so nothing determines it (" + counts +
                        "): write an equation for it, give it a value here ('" + name(j) +
                        " = ...'), or remove it");
  }
  if (open.empty()) return;
  // Any of them may be what lacks an equation; one that has no derivative most often does.
  std::vector<std::uint32_t> likely;
  for (const std::uint32_t j : open)
    if (is_differentiated[j] == 0) likely.push_back(j);
  if (likely.empty()) likely = open;
  const auto& under = parts.underdetermined.equations;
  const std::size_t n = open.size() - under.size();
  std::vector<Span> spans;
  for (const std::uint32_t i : under) spans.push_back(place[i]);
  messages_.error(
      declaration_of(name(likely[0])),
      (n == 1 ? "an equation" : std::to_string(n) + " equations") +
          (likely.size() == 1 ? " for "
           : n == 1           ? " for one of "
                              : " for some of ") +
          quoted_names(likely) + (n == 1 ? " is" : " are") + " missing: " + lines_of(spans) +
          (spans.size() == 1 ? " is " : " are ") + count_of(under.size(), "equation") + " for " +
          count_of(open.size(), "unknown") + ", " + quoted_names(open) + " (" + counts +
          "); write " + (n == 1 ? "another equation" : std::to_string(n) + " more equations") +
          ", or give a value in the declaration ('" + name(likely[0]) + " = ...')");
}

}  // namespace saltus::modelica
