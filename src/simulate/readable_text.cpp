#include "simulate/readable_text.hpp"

#include <algorithm>
#include <cmath>
#include <compare>
#include <optional>
#include <tuple>
#include <vector>

#include <saltus/core/text.hpp>
#include <saltus/expr/text.hpp>

namespace saltus {

namespace {

/// Parameters; then what has no derivative: time, variables, everything else; then what has one.
struct FactorKey {
  int level = 0;  // 0: held, 1: without derivatives, 2: with
  int group = 0;  // 0: time, 1: variable, 2: any other expression
  std::uint32_t order = 0;
  std::uint32_t number = 0;
  std::string text = {};
  friend auto operator<=>(const FactorKey&, const FactorKey&) = default;
};

struct Factor {
  FactorKey key;
  std::string text;
  std::int64_t exponent = 1;
};

struct Term {
  double coefficient = 1.0;
  std::vector<Factor> factors;
};

class ReadableWriter {
 public:
  ReadableWriter(const Graph& g, std::size_t max_length) : g_(g) { plain_.max_length = max_length; }

  /// Empty if it is too much to be sorted.
  std::optional<std::string> sum(NodeId id, std::uint32_t lane, bool begin_positive) {
    std::vector<Term> terms;
    add_terms(id, lane, 1.0, terms);
    if (gave_up_) return std::nullopt;
    for (Term& t : terms) sort_factors(t);
    merge_equal(terms);
    std::ranges::stable_sort(terms, [](const Term& a, const Term& b) { return before(a, b); });
    if (begin_positive && !terms.empty() && terms.front().coefficient < 0.0) {
      for (Term& t : terms) t.coefficient = -t.coefficient;
    }
    std::string text;
    for (const Term& t : terms) append(t, text);
    return text.empty() ? "0" : text;
  }

 private:
  struct Entered {
    explicit Entered(ReadableWriter& w) : writer(w) {
      ++writer.depth_;
      if (writer.depth_ > 100 || ++writer.visited_ > 3000) writer.gave_up_ = true;
    }
    ~Entered() { --writer.depth_; }
    Entered(const Entered&) = delete;
    ReadableWriter& writer;
  };

  void resolve(NodeId& id, std::uint32_t& lane) const {
    for (;;) {
      const Node& n = g_.node(id);
      if (n.op == Op::lanes) {
        id = g_.table(n.a)[lane];
        lane = 0;
      } else if (n.op == Op::take) {
        lane = g_.table(n.b)[lane];
        id = n.a;
      } else {
        return;
      }
    }
  }

  /// A number times a sum is a sum.
  void add_terms(NodeId id, std::uint32_t lane, double sign, std::vector<Term>& terms) {
    const Entered level(*this);
    if (gave_up_) return;
    resolve(id, lane);
    const Node& n = g_.node(id);
    if (n.op == Op::add || n.op == Op::sub) {
      add_terms(n.a, lane, sign, terms);
      add_terms(n.b, lane, n.op == Op::sub ? -sign : sign, terms);
    } else if (n.op == Op::neg) {
      add_terms(n.a, lane, -sign, terms);
    } else if (n.op == Op::mul && (g_.is_constant(n.a) || g_.is_constant(n.b))) {
      const NodeId number = g_.is_constant(n.a) ? n.a : n.b;
      add_terms(number == n.a ? n.b : n.a, lane, sign * g_.constant_value(number), terms);
    } else {
      Term term{sign, {}};
      multiply(id, lane, 1, term);
      terms.push_back(std::move(term));
    }
  }

  void multiply(NodeId id, std::uint32_t lane, std::int64_t exponent, Term& term) {
    const Entered level(*this);
    if (gave_up_) return;
    resolve(id, lane);
    const Node& n = g_.node(id);
    switch (n.op) {
      case Op::constant:
        if (exponent > 0) {
          term.coefficient *= std::pow(g_.constant_value(id), static_cast<double>(exponent));
          return;
        }
        break;
      case Op::mul:
        multiply(n.a, lane, exponent, term);
        return multiply(n.b, lane, exponent, term);
      case Op::div:
        multiply(n.a, lane, exponent, term);
        return multiply(n.b, lane, -exponent, term);
      case Op::neg:
        if (exponent % 2 != 0) term.coefficient = -term.coefficient;
        return multiply(n.a, lane, exponent, term);
      case Op::sqr:
        return multiply(n.a, lane, 2 * exponent, term);
      case Op::powi:
        return multiply(n.a, lane, exponent * static_cast<std::int32_t>(n.b), term);
      default:
        break;
    }
    term.factors.push_back(factor_of(id, lane, exponent));
  }

  Factor factor_of(NodeId id, std::uint32_t lane, std::int64_t exponent) {
    const Node& n = g_.node(id);
    if (n.op == Op::input) {
      const Input& in = g_.input(n.a);
      const bool held = rate_of(in.kind) == Rate::held;
      const int level = held ? 0 : in.order == 0 ? 1 : 2;
      // States before algebraic variables, inputs last.
      const std::uint32_t number = (static_cast<std::uint32_t>(in.kind) << 28) + in.index;
      const std::string text = g_.input_name(n.a);
      return {{level, in.kind == InputKind::time ? 0 : 1, in.order, number, text}, text, exponent};
    }
    std::string text;
    if (n.op == Op::add || n.op == Op::sub) {
      text = "(" + sum(id, lane, false).value_or("...") + ")";
    } else {
      text = to_text(g_, id, plain_, lane);
    }
    const int level = text.find("der(") == std::string::npos ? 1 : 2;
    return {{level, 2, 0, 0, text}, text, exponent};
  }

  static void sort_factors(Term& t) {
    std::ranges::stable_sort(t.factors, {}, &Factor::key);
    std::vector<Factor> joined;
    for (Factor& f : t.factors) {
      if (!joined.empty() && joined.back().key == f.key) {
        joined.back().exponent += f.exponent;
      } else {
        joined.push_back(std::move(f));
      }
    }
    std::erase_if(joined, [](const Factor& f) { return f.exponent == 0; });
    t.factors = std::move(joined);
  }

  static bool same_factors(const Term& a, const Term& b) {
    return std::ranges::equal(a.factors, b.factors, [](const Factor& p, const Factor& q) {
      return p.key == q.key && p.exponent == q.exponent;
    });
  }

  static void merge_equal(std::vector<Term>& terms) {
    std::vector<Term> merged;
    for (Term& t : terms) {
      const auto same =
          std::ranges::find_if(merged, [&](const Term& other) { return same_factors(t, other); });
      if (same == merged.end()) {
        merged.push_back(std::move(t));
      } else {
        same->coefficient += t.coefficient;
      }
    }
    std::erase_if(merged, [](const Term& t) { return t.coefficient == 0.0; });
    terms = std::move(merged);
  }

  /// By the variable with the smallest number, highest derivatives first; then terms of time, then
  /// others.
  static std::tuple<int, std::uint32_t, std::int64_t> rank_of(const Term& t) {
    int kind = 2;
    std::uint32_t number = 0;
    std::int64_t highest = 0;
    for (const Factor& f : t.factors) {
      if (f.key.level == 0 || f.key.group == 2) continue;
      if (f.key.group == 0) kind = std::min(kind, 1);
      if (f.key.group == 1) {
        number = kind == 0 ? std::min(number, f.key.number) : f.key.number;
        kind = 0;
        highest = std::max<std::int64_t>(highest, f.key.order);
      }
    }
    return {kind, number, -highest};
  }
  static bool before(const Term& a, const Term& b) { return rank_of(a) < rank_of(b); }

  static void append(const Term& t, std::string& text) {
    const double size = std::abs(t.coefficient);
    if (text.empty()) {
      text = t.coefficient < 0.0 ? "-" : "";
    } else {
      text += t.coefficient < 0.0 ? " - " : " + ";
    }
    const auto powered = [](const Factor& f) {
      const std::int64_t e = std::abs(f.exponent);
      return e == 1 ? f.text : f.text + "^" + std::to_string(e);
    };
    std::string above, below;
    std::size_t n_below = 0;
    if (size != 1.0) above = saltus::to_text(size);
    for (const Factor& f : t.factors) {
      std::string& side = f.exponent > 0 ? above : below;
      side += (side.empty() ? "" : "*") + powered(f);
      n_below += f.exponent < 0 ? 1 : 0;
    }
    text += above.empty() ? "1" : above;
    if (n_below > 0) text += "/" + (n_below > 1 ? "(" + below + ")" : below);
  }

  const Graph& g_;
  TextOptions plain_;
  int depth_ = 0;
  int visited_ = 0;
  bool gave_up_ = false;
};

}  // namespace

std::string readable_equation(const Graph& g, NodeId node, std::uint32_t lane,
                              std::size_t max_length) {
  ReadableWriter writer(g, max_length);
  std::string text;
  if (auto sorted = writer.sum(node, lane, true)) {
    text = std::move(*sorted);
  } else {
    text = to_text(g, node, {max_length}, lane);
  }
  if (text.size() > max_length && !text.ends_with("...")) text = text.substr(0, max_length) + "...";
  return text + " == 0";
}

}  // namespace saltus
