#include "body.hpp"

#include <saltus/core/error.hpp>

namespace saltus {

namespace {

Code code_of(Op op) {
  switch (op) {
    case Op::add:
      return Code::add;
    case Op::sub:
      return Code::sub;
    case Op::mul:
      return Code::mul;
    case Op::div:
      return Code::div;
    case Op::neg:
      return Code::neg;
    case Op::sqr:
      return Code::sqr;
    case Op::powi:
      return Code::powi;
    case Op::pow:
      return Code::pow;
    case Op::atan2:
      return Code::atan2;
    default:
      SALTUS_ASSERT(is_elementary(op));
      return static_cast<Code>(static_cast<std::uint32_t>(Code::sqrt) +
                               static_cast<std::uint32_t>(op) -
                               static_cast<std::uint32_t>(Op::sqrt));
  }
}

Code conditional_code(Op op, bool by_value) {
  switch (op) {
    case Op::abs:
      return by_value ? Code::abs_by_value : Code::abs;
    case Op::sign:
      return by_value ? Code::sign_by_value : Code::sign;
    case Op::min:
      return by_value ? Code::min_by_value : Code::min;
    case Op::max:
      return by_value ? Code::max_by_value : Code::max;
    default:
      return Code::select;
  }
}

void word(std::vector<std::uint32_t>& code, Code c) {
  code.push_back(static_cast<std::uint32_t>(c));
}

}  // namespace

void append(std::vector<std::uint32_t>& code, const PlacedOperation& o) {
  if (o.op == Op::mul && (o.held_a || o.held_b)) {
    word(code, Code::held_mul);
    code.insert(code.end(), {o.to, o.held_a ? o.a : o.b, o.held_a ? o.b : o.a});
    return;
  }
  const bool conditional = o.op == Op::select || carries_switch(o.op);
  word(code, conditional ? conditional_code(o.op, o.by_value) : code_of(o.op));
  code.push_back(o.to);
  const bool reads_operand = !(o.op == Op::sign && !o.by_value);  // a locked sign is its lock
  if (reads_operand) code.push_back(o.a);
  if (arity(o.op) == 2 || o.op == Op::powi) code.push_back(o.b);
  if (conditional && !o.by_value) code.push_back(o.mode);
}

void append(std::vector<std::uint32_t>& code, const PlacedProductSum& o) {
  const bool held = o.held_a || o.held_b;
  Code c = held ? Code::held_sub_mul : Code::sub_mul;
  if (o.op == Op::add) c = held ? Code::held_mul_add : Code::mul_add;
  if (o.op == Op::sub && o.product_first) c = held ? Code::held_mul_sub : Code::mul_sub;
  word(code, c);
  const bool exchange = o.held_b && !o.held_a;  // the held factor comes first
  code.insert(code.end(), {o.to, exchange ? o.b : o.a, exchange ? o.a : o.b, o.rest});
}

BodyBuilder::BodyBuilder(const Graph& graph, LeafTest is_leaf)
    : graph_(graph),
      is_leaf_(std::move(is_leaf)),
      stamp_(graph.size(), 0),
      operand_(graph.size(), 0),
      condition_stamp_(graph.n_conditions(), 0),
      condition_index_(graph.n_conditions(), 0) {}

std::uint32_t BodyBuilder::leaf(NodeId id, Body& body) {
  body.leaves.push_back(id);
  return static_cast<std::uint32_t>(body.leaves.size() - 1) | Body::leaf_bit;
}

bool BodyBuilder::build(std::span<const NodeId> roots, std::size_t max_operations, Body& body) {
  body.clear();
  ++round_;
  auto known = [&](NodeId id) { return stamp_[id] == round_; };
  auto set = [&](NodeId id, std::uint32_t operand) {
    stamp_[id] = round_;
    operand_[id] = operand;
  };
  for (const NodeId root : roots) {
    stack_.assign(1, root);
    while (!stack_.empty()) {
      const NodeId id = stack_.back();
      if (known(id)) {
        stack_.pop_back();
        continue;
      }
      const Node& n = graph_.node(id);
      const bool ends = n.op == Op::constant || n.op == Op::input || n.op == Op::lanes ||
                        n.op == Op::take || n.op == Op::sum || n.op == Op::external;
      if (ends || (id != root && is_leaf_(id))) {
        set(id, leaf(id, body));
        stack_.pop_back();
        continue;
      }
      const int k = arity(n.op);
      const bool open_a = k > 0 && !known(n.a);
      const bool open_b = k > 1 && !known(n.b);
      if (open_a || open_b) {
        if (open_b) stack_.push_back(n.b);  // a on top: it is numbered first
        if (open_a) stack_.push_back(n.a);
        continue;
      }
      if (body.operations.size() >= max_operations) return false;
      Body::Operation operation{n.op, false, k > 0 ? operand_[n.a] : 0, k > 1 ? operand_[n.b] : n.b,
                                0};
      if (n.op == Op::select || carries_switch(n.op)) {
        operation.by_value = n.c == none;
        if (n.c != none) {
          if (condition_stamp_[n.c] != round_) {
            condition_stamp_[n.c] = round_;
            condition_index_[n.c] = static_cast<std::uint32_t>(body.conditions.size());
            body.conditions.push_back(n.c);
          }
          operation.mode = condition_index_[n.c];
        }
      }
      set(id, static_cast<std::uint32_t>(body.operations.size()));
      body.operations.push_back(operation);
      stack_.pop_back();
    }
    body.roots.push_back(operand_[root]);
  }
  return true;
}

namespace {

/// Register reuse inside a body keeps the working set of the vector interpreter in cache.
class Finisher {
 public:
  Finisher(const Body& body, const std::vector<bool>& held_leaves)
      : body_(body),
        held_(held_leaves),
        n_(body.operations.size()),
        uses_(n_, 0),
        last_use_(n_, 0),
        fused_into_(n_, none),
        registers_(n_, none) {}

  FinishedBody run() {
    count_uses();
    fuse_products();
    find_last_uses();
    FinishedBody out;
    next_ = static_cast<std::uint32_t>(body_.leaves.size());
    for (std::uint32_t i = 0; i < n_; ++i)
      if (fused_into_[i] == none) emit(i, out.body.code);
    out.body.code.push_back(static_cast<std::uint32_t>(Code::end));
    out.body.n_registers = next_;
    for (std::uint32_t operand : body_.roots) out.roots.push_back(place(operand));
    return out;
  }

 private:
  static bool is_leaf(std::uint32_t operand) { return (operand & Body::leaf_bit) != 0; }
  static std::uint32_t leaf_of(std::uint32_t operand) { return operand & ~Body::leaf_bit; }
  bool held(std::uint32_t operand) const { return is_leaf(operand) && held_[leaf_of(operand)]; }
  std::uint32_t place(std::uint32_t operand) const {
    return is_leaf(operand) ? leaf_of(operand) : registers_[operand];
  }

  template <class F>
  void for_operands(const Body::Operation& o, F&& visit) const {
    const int k = arity(o.op);
    if (k > 0) visit(o.a);
    if (k > 1) visit(o.b);
  }

  void count_uses() {
    for (const auto& o : body_.operations)
      for_operands(o, [&](std::uint32_t x) {
        if (!is_leaf(x)) ++uses_[x];
      });
    for (std::uint32_t x : body_.roots)
      if (!is_leaf(x)) uses_[x] += 2;  // never fused away
  }

  void fuse_products() {
    auto single_product = [&](std::uint32_t x) {
      return !is_leaf(x) && uses_[x] == 1 && body_.operations[x].op == Op::mul;
    };
    for (std::uint32_t i = 0; i < n_; ++i) {
      const auto& o = body_.operations[i];
      if (o.op != Op::add && o.op != Op::sub) continue;
      if (single_product(o.b)) {
        fused_into_[o.b] = i;
      } else if (single_product(o.a)) {
        fused_into_[o.a] = i;
      }
    }
  }

  void find_last_uses() {
    for (std::uint32_t i = 0; i < n_; ++i) {
      const std::uint32_t reader = fused_into_[i] == none ? i : fused_into_[i];
      for_operands(body_.operations[i], [&](std::uint32_t x) {
        if (!is_leaf(x)) last_use_[x] = std::max(last_use_[x], reader);
      });
    }
    for (std::uint32_t x : body_.roots)
      if (!is_leaf(x)) last_use_[x] = static_cast<std::uint32_t>(n_);
  }

  std::uint32_t allocate(std::uint32_t i) {
    if (free_.empty()) return registers_[i] = next_++;
    registers_[i] = free_.back();
    free_.pop_back();
    return registers_[i];
  }

  void release(std::uint32_t operand, std::uint32_t at) {
    if (is_leaf(operand) || last_use_[operand] != at || registers_[operand] == none) return;
    if (released_at_.size() < n_) released_at_.assign(n_, false);
    if (released_at_[operand]) return;
    released_at_[operand] = true;
    free_.push_back(registers_[operand]);
  }

  void emit(std::uint32_t i, std::vector<std::uint32_t>& code) {
    const auto& o = body_.operations[i];
    auto fused_here = [&](std::uint32_t x) { return !is_leaf(x) && fused_into_[x] == i; };
    const bool binary = arity(o.op) == 2;
    if (binary && (fused_here(o.a) || fused_here(o.b))) {
      const bool first = fused_here(o.a);
      const auto& product = body_.operations[first ? o.a : o.b];
      const std::uint32_t rest = first ? o.b : o.a;
      append(code, PlacedProductSum{o.op, first, allocate(i), place(product.a), place(product.b),
                                    place(rest), held(product.a), held(product.b)});
      for (std::uint32_t x : {product.a, product.b, rest}) release(x, i);
      return;
    }
    append(code,
           PlacedOperation{o.op, o.by_value, allocate(i), place(o.a), binary ? place(o.b) : o.b,
                           o.mode, held(o.a), binary && held(o.b)});
    release(o.a, i);
    if (binary) release(o.b, i);
  }

  const Body& body_;
  const std::vector<bool>& held_;
  std::size_t n_;
  std::vector<std::uint32_t> uses_;
  std::vector<std::uint32_t> last_use_;
  std::vector<std::uint32_t> fused_into_;
  std::vector<std::uint32_t> registers_;
  std::vector<bool> released_at_;
  std::vector<std::uint32_t> free_;
  std::uint32_t next_ = 0;
};

}  // namespace

FinishedBody finish(const Body& body, const std::vector<bool>& held_leaves) {
  return Finisher(body, held_leaves).run();
}

}  // namespace saltus
