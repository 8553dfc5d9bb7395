#include <saltus/expr/text.hpp>

#include <saltus/core/text.hpp>

namespace saltus {

namespace {

// Binding strength of an infix operator; a child that binds weaker is put in parentheses.
enum Strength : int { weakest, sum_strength, product_strength, power_strength, atom };

class Writer {
 public:
  Writer(const Graph& g, const TextOptions& options) : g_(g), limit_(options.max_length) {}

  std::string take() {
    if (out_.size() > limit_) out_ = out_.substr(0, limit_) + "...";
    return std::move(out_);
  }

  void value(NodeId id, std::uint32_t lane, int context) {
    if (out_.size() > limit_) return;  // enough to recognise it; deep graphs stay cheap
    const Deeper level(depth_);
    if (depth_ > most_levels) {
      out_ += "...";
      return;
    }
    const Node& n = g_.node(id);
    switch (n.op) {
      case Op::constant:
        return number(g_.constant_value(id), context);
      case Op::input:
        out_ += g_.input_name(n.a);
        return;
      case Op::lanes:
        return value(g_.table(n.a)[lane], 0, context);
      case Op::take:
        return value(n.a, g_.table(n.b)[lane], context);
      case Op::add:
      case Op::sub:
        return infix(n, lane, context, sum_strength);
      case Op::mul:
      case Op::div:
        return infix(n, lane, context, product_strength);
      case Op::neg:
        return in_parentheses(context > sum_strength, [&] {
          out_ += "-";
          value(n.a, lane, product_strength);
        });
      case Op::sqr:
        return power(n.a, lane, "2", context);
      case Op::powi:
        return power(n.a, lane, exponent(static_cast<std::int32_t>(n.b)), context);
      case Op::sum:
        out_ += "sum(";
        value(n.a, 0, weakest);
        out_ += g_.lane_count(n.a) > 2 ? ", ..., " : ", ";
        value(n.a, g_.lane_count(n.a) - 1, weakest);
        out_ += ")";
        return;
      case Op::external: {
        const ExternalCall& c = g_.call(n.a);
        std::vector<std::pair<NodeId, std::uint32_t>> arguments;
        for (NodeId a : c.arguments) arguments.emplace_back(a, 0);
        call(c.function->name(), arguments);
        if (c.function->n_out() > 1) out_ += "[" + std::to_string(n.b) + "]";
        return;
      }
      case Op::select:
        out_ += "where(";
        literal(literal_of(n.c), lane, false);
        out_ += ", ";
        value(n.a, lane, weakest);
        out_ += ", ";
        value(n.b, lane, weakest);
        out_ += ")";
        return;
      default:
        if (arity(n.op) == 2) return call(name_of(n.op), {{n.a, lane}, {n.b, lane}});
        return call(name_of(n.op), {{n.a, lane}});
    }
  }

  void relation(const Relation& r, std::uint32_t lane, bool negated) {
    static constexpr std::string_view written[] = {" > ", " >= ", " < ", " <= ", " == ", " != "};
    static constexpr std::string_view opposite[] = {" <= ", " < ", " >= ", " > ", " != ", " == "};
    const auto which = static_cast<std::size_t>(r.written);
    value(r.left, lane, weakest);
    out_ += negated ? opposite[which] : written[which];
    value(r.right, lane, weakest);
  }

  void literal(Literal l, std::uint32_t lane, bool inside_and) {
    if (out_.size() > limit_) return;
    const Deeper level(depth_);
    if (depth_ > most_levels) {
      out_ += "...";
      return;
    }
    const Condition& c = g_.condition(condition_of(l));
    if (c.kind == Condition::Kind::always) {
      out_ += is_negated(l) ? "false" : "true";
    } else if (c.kind == Condition::Kind::relation) {
      const Relation& r = g_.relation(c.a);
      relation(r, lane, is_negated(l));
    } else {
      // not (not a and not b) reads as a or b
      const bool is_or = is_negated(l);
      in_parentheses(inside_and, [&] {
        literal(is_or ? negate(c.a) : c.a, lane, true);
        out_ += is_or ? " or " : " and ";
        literal(is_or ? negate(c.b) : c.b, lane, true);
      });
    }
  }

 private:
  template <class F>
  void in_parentheses(bool needed, F&& write) {
    if (needed) out_ += "(";
    write();
    if (needed) out_ += ")";
  }

  void number(double v, int context) {
    in_parentheses(v < 0 && context > sum_strength, [&] { out_ += saltus::to_text(v); });
  }

  static std::string exponent(std::int32_t n) {
    return n < 0 ? "(" + std::to_string(n) + ")" : std::to_string(n);
  }

  void power(NodeId base, std::uint32_t lane, const std::string& exponent_text, int context) {
    in_parentheses(context > power_strength, [&] {
      value(base, lane, atom);
      out_ += "^" + exponent_text;
    });
  }

  void infix(const Node& n, std::uint32_t lane, int context, int strength) {
    in_parentheses(context > strength, [&] {
      value(n.a, lane, strength);
      const bool spaced = strength == sum_strength;
      if (spaced) out_ += " ";
      out_ += name_of(n.op);
      if (spaced) out_ += " ";
      const bool associates = n.op == Op::add || n.op == Op::mul;
      value(n.b, lane, associates ? strength : strength + 1);
    });
  }

  void call(std::string_view name, const std::vector<std::pair<NodeId, std::uint32_t>>& arguments) {
    out_ += name;
    out_ += "(";
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      if (i > 0) out_ += ", ";
      value(arguments[i].first, arguments[i].second, weakest);
    }
    out_ += ")";
  }

  /// x^2^2^2… writes nothing on its way down: nesting needs a limit of its own.
  static constexpr int most_levels = 100;
  struct Deeper {
    explicit Deeper(int& depth) : depth_(depth) { ++depth_; }
    ~Deeper() { --depth_; }
    Deeper(const Deeper&) = delete;
    int& depth_;
  };

  const Graph& g_;
  std::size_t limit_;
  std::string out_;
  int depth_ = 0;
};

}  // namespace

std::string to_text(const Graph& g, NodeId id, const TextOptions& options, std::uint32_t lane) {
  Writer w(g, options);
  w.value(id, lane, weakest);
  return w.take();
}

std::string condition_text(const Graph& g, Literal condition, std::uint32_t lane,
                           const TextOptions& options) {
  Writer w(g, options);
  w.literal(condition, lane, false);
  return w.take();
}

std::string relation_text(const Graph& g, std::uint32_t relation, std::uint32_t lane,
                          const TextOptions& options) {
  Writer w(g, options);
  w.relation(g.relation(relation), lane, false);
  return w.take();
}

}  // namespace saltus
