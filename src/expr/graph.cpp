#include <saltus/expr/graph.hpp>

#include <algorithm>
#include <bit>
#include <cmath>

#include <saltus/core/error.hpp>

namespace saltus {

namespace {

constexpr std::size_t first_hash_table_size = 256;

std::uint64_t mix(std::uint64_t x) {
  x ^= x >> 29;
  x *= 0xBF58476D1CE4E5B9ULL;
  x ^= x >> 32;
  return x;
}

std::uint64_t hash_of(const Node& n) {
  return mix(n.a * 0x9E3779B97F4A7C15ULL ^
             (std::uint64_t{n.b} + static_cast<std::uint64_t>(n.op)) * 0xC2B2AE3D27D4EB4FULL ^
             std::uint64_t{n.c} * 0x165667B19E3779F9ULL);
}

std::uint64_t hash_of(std::span<const std::uint32_t> table) {
  std::uint64_t h = table.size();
  for (std::uint32_t v : table) h = mix(h * 0x9E3779B97F4A7C15ULL + v);
  return h;
}

}  // namespace

std::string_view name_of(Op op) {
  static constexpr std::string_view names[n_ops] = {
      "constant", "input", "lanes", "+",   "-",    "*",   "/",    "-",    "sqr",  "powi",    "pow",
      "sqrt",     "exp",   "log",   "sin", "cos",  "tan", "asin", "acos", "atan", "sinh",    "cosh",
      "tanh",     "atan2", "where", "abs", "sign", "min", "max",  "take", "sum",  "external"};
  return names[static_cast<int>(op)];
}

std::string_view name_of(InputKind kind) {
  static constexpr std::string_view names[n_input_kinds] = {
      "time", "state", "algebraic", "signal", "parameter", "discrete", "previous"};
  return names[static_cast<int>(kind)];
}

bool ExternalFunction::Instance::enclose(std::span<const Interval>, std::span<Interval>) {
  return false;
}

Graph::Graph() : hash_table_(first_hash_table_size, none), shapes_{1}, conditions_{Condition{}} {
  declare(InputKind::time, "time");
}

// ---- declaring -------------------------------------------------------------------------------

void Graph::check_name(InputKind kind, const std::string& name) {
  if (kind == InputKind::previous) return;  // named after the variable it belongs to
  if (name.empty()) throw ModelError("a " + std::string(name_of(kind)) + " has no name");
  if (!known_names_.insert(name).second)
    throw ModelError("the name '" + name + "' is declared twice");
  if (kind == InputKind::time && declared_[static_cast<int>(kind)] > 0)
    throw ModelError("time is declared twice: a model has one time");
}

std::uint32_t Graph::declare(InputKind kind, std::string name) {
  check_name(kind, name);
  auto& next = declared_[static_cast<int>(kind)];
  names_[static_cast<int>(kind)].push_back({next, 0, std::move(name)});
  return next++;
}

std::uint32_t Graph::declare_array(InputKind kind, std::string name, std::uint32_t count) {
  if (count == 0) throw ModelError("array '" + name + "' has no elements");
  check_name(kind, name);
  auto& next = declared_[static_cast<int>(kind)];
  const std::uint32_t first = next;
  names_[static_cast<int>(kind)].push_back({first, count, std::move(name)});
  next += count;
  return first;
}

NodeId Graph::find_input(InputKind kind, std::uint32_t index, std::uint32_t order) const {
  const auto& by_order = input_nodes_[static_cast<int>(kind)];
  if (order >= by_order.size() || index >= by_order[order].size()) return none;
  return by_order[order][index];
}

NodeId Graph::input(InputKind kind, std::uint32_t index, std::uint32_t order) {
  if (index >= count(kind))
    throw ModelError("no " + std::string(name_of(kind)) + " with number " + std::to_string(index) +
                     " was declared");
  if (order > 0 && !has_derivatives(kind))
    throw ModelError("'" + variable_name(kind, index) + "' is a " + std::string(name_of(kind)) +
                     " and has no time derivative");
  if (const NodeId known = find_input(kind, index, order); known != none) return known;
  auto& by_order = input_nodes_[static_cast<int>(kind)];
  if (by_order.size() <= order) by_order.resize(order + 1);
  if (by_order[order].size() <= index) by_order[order].resize(count(kind), none);
  inputs_.push_back({kind, index, order});
  const NodeId id = make(Op::input, static_cast<InputId>(inputs_.size() - 1));
  by_order[order][index] = id;
  return id;
}

NodeId Graph::previous(const Input& variable) {
  const auto next = static_cast<std::uint32_t>(previous_of_.size());
  const std::uint64_t key = (static_cast<std::uint64_t>(variable.kind) << 32) | variable.index;
  const auto [found, is_new] = previous_ids_.try_emplace(key, next);
  if (is_new) {
    previous_of_.push_back(variable);
    declare(InputKind::previous, variable_name(variable.kind, variable.index));
  }
  return input(InputKind::previous, found->second);
}

std::string Graph::variable_name(InputKind kind, std::uint32_t index) const {
  const auto& blocks = names_[static_cast<int>(kind)];
  auto block = std::upper_bound(blocks.begin(), blocks.end(), index,
                                [](std::uint32_t i, const NameBlock& b) { return i < b.first; });
  SALTUS_ASSERT(block != blocks.begin());
  --block;
  if (block->count == 0) return block->name;
  return block->name + "[" + std::to_string(index - block->first) + "]";
}

std::string Graph::input_name(InputId id) const {
  const Input& in = inputs_[id];
  std::string name = variable_name(in.kind, in.index);
  if (in.kind == InputKind::previous) return "pre(" + name + ")";
  if (in.order == 1) return "der(" + name + ")";
  if (in.order > 1) return "der(" + name + ", " + std::to_string(in.order) + ")";
  return name;
}

// ---- storage ---------------------------------------------------------------------------------

/// Where the node is, or the empty place it would go to.
std::size_t Graph::hash_slot(const Node& n) const {
  const std::size_t mask = hash_table_.size() - 1;
  std::size_t i = hash_of(n) & mask;
  while (hash_table_[i] != none && !(nodes_[hash_table_[i]] == n)) i = (i + 1) & mask;
  return i;
}

NodeId Graph::find_negative(NodeId a) const {
  const Node n = nodes_[a];
  auto find = [&](Op op, NodeId x, NodeId y) {
    return hash_table_[hash_slot({x, y, 0, op, n.rate, n.shape})];
  };
  auto negated = [&](NodeId x) {
    const Node& m = nodes_[x];
    return m.op == Op::neg ? m.a : hash_table_[hash_slot({x, 0, 0, Op::neg, m.rate, m.shape})];
  };
  // The forms in which building leaves -a.
  switch (n.op) {
    case Op::sub:
      if (nodes_[n.a].op == Op::neg) {  // -(-y - x) is x + y
        const NodeId y = nodes_[n.a].a;
        if (const NodeId sum = find(Op::add, std::min(y, n.b), std::max(y, n.b)); sum != none)
          return sum;
      }
      return find(Op::sub, n.b, n.a);
    case Op::add:
      for (const auto& [x, y] : {std::pair(n.a, n.b), std::pair(n.b, n.a)}) {
        const NodeId minus = negated(x);
        const NodeId found = minus == none ? none : find(Op::sub, minus, y);
        if (found != none) return found;
      }
      return negated(a);
    case Op::mul:
      if (is_constant(n.a)) {  // -(2 x) is kept as (-2) x
        const auto minus = constant_ids_.find(std::bit_cast<std::uint64_t>(-constant_value(n.a)));
        return minus == constant_ids_.end() ? none : find(Op::mul, minus->second, n.b);
      }
      return negated(a);
    default:
      return negated(a);
  }
}

NodeId Graph::intern(const Node& n) {
  const std::size_t i = hash_slot(n);
  if (hash_table_[i] != none) return hash_table_[i];
  const auto id = static_cast<NodeId>(nodes_.size());
  nodes_.push_back(n);
  hash_table_[i] = id;
  if (2 * nodes_.size() > hash_table_.size()) rebuild_hash_table(2 * hash_table_.size());
  return id;
}

void Graph::rebuild_hash_table(std::size_t size) {
  hash_table_.assign(size, none);
  const std::size_t mask = hash_table_.size() - 1;
  for (NodeId id = 0; id < nodes_.size(); ++id) {
    std::size_t i = hash_of(nodes_[id]) & mask;
    while (hash_table_[i] != none) i = (i + 1) & mask;
    hash_table_[i] = id;
  }
}

NodeId Graph::make(Op op, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  SALTUS_ASSERT(!hash_table_.empty());  // a frozen graph cannot grow
  Node n{a, b, c, op, Rate::constant, 0};
  auto take_in = [&](const Node& child) { n.rate = std::max(n.rate, child.rate); };
  const int k = arity(op);
  if (k > 0) take_in(nodes_[a]);
  if (k > 1) take_in(nodes_[b]);
  if (k == 1) n.shape = nodes_[a].shape;
  if (k == 2 && nodes_[a].shape == nodes_[b].shape) {
    n.shape = nodes_[a].shape;
  } else if (k == 2) {
    n.shape = common_shape(nodes_[a].shape, nodes_[b].shape,
                           "the operands of '" + std::string(name_of(op)) + "'");
  }
  if (op == Op::input) n.rate = rate_of(inputs_[a].kind);
  if (op == Op::external) n.rate = calls_[a].rate;
  if (op == Op::sum) n.shape = 0;
  if (op == Op::take) n.shape = shape_of_length(static_cast<std::uint32_t>(tables_[b].size()));
  if (op == Op::lanes) {
    for (NodeId child : tables_[a]) take_in(nodes_[child]);
    n.shape = shape_of_length(static_cast<std::uint32_t>(tables_[a].size()));
  }
  if (const ConditionId condition = deciding_condition(n); condition != none) {
    const Condition& decides = conditions_[condition];
    n.rate = std::max(n.rate, decides.rate);
    if (n.shape == 0) n.shape = decides.shape;
    SALTUS_ASSERT(decides.shape == 0 || decides.shape == n.shape);
  }
  return intern(n);
}

std::uint16_t Graph::shape_of_length(std::uint32_t n) {
  // Shape 0 is the scalar; an array of one lane is still an array, so the search starts at 1.
  const auto found = std::find(shapes_.begin() + 1, shapes_.end(), n);
  if (found != shapes_.end()) return static_cast<std::uint16_t>(found - shapes_.begin());
  if (shapes_.size() > 0xFFFF) throw ModelError("more than 65535 different array lengths");
  shapes_.push_back(n);
  return static_cast<std::uint16_t>(shapes_.size() - 1);
}

std::uint16_t Graph::common_shape(std::uint16_t a, std::uint16_t b, std::string_view whose) const {
  if (a == 0 || a == b) return b;
  if (b == 0) return a;
  throw ModelError(std::string(whose) + " have " + std::to_string(shapes_[a]) + " and " +
                   std::to_string(shapes_[b]) + " elements");
}

std::uint32_t Graph::intern_table(std::vector<std::uint32_t> table) {
  const std::uint64_t h = hash_of(table);
  const auto [first, last] = table_ids_.equal_range(h);
  for (auto it = first; it != last; ++it)
    if (tables_[it->second] == table) return it->second;
  tables_.push_back(std::move(table));
  const auto id = static_cast<std::uint32_t>(tables_.size() - 1);
  table_ids_.emplace(h, id);
  return id;
}

NodeId Graph::constant(double value) {
  if (std::isnan(value))
    throw ModelError(
        "an expression of the model contains a constant that is not a number (NaN): check the "
        "values that it is computed from");
  const auto bits = std::bit_cast<std::uint64_t>(value);
  if (const auto found = constant_ids_.find(bits); found != constant_ids_.end())
    return found->second;
  constants_.push_back(value);
  const NodeId id = make(Op::constant, static_cast<std::uint32_t>(constants_.size() - 1));
  constant_ids_.emplace(bits, id);
  return id;
}

NodeId Graph::external(std::shared_ptr<const ExternalFunction> function,
                       std::span<const NodeId> arguments, std::uint32_t which) {
  SALTUS_ASSERT(function != nullptr);
  if (arguments.size() != function->n_in())
    throw ModelError("function '" + function->name() + "' takes " +
                     std::to_string(function->n_in()) + " arguments, got " +
                     std::to_string(arguments.size()));
  if (which >= function->n_out())
    throw ModelError("function '" + function->name() + "' has " +
                     std::to_string(function->n_out()) + " outputs, number " +
                     std::to_string(which) + " was asked for");
  std::uint64_t h = mix(reinterpret_cast<std::uintptr_t>(function.get()));
  h = mix(h + hash_of(arguments));
  const auto [first, last] = call_ids_.equal_range(h);
  const auto known = std::find_if(first, last, [&](const auto& entry) {
    const ExternalCall& c = calls_[entry.second];
    return c.function == function && std::ranges::equal(c.arguments, arguments);
  });
  if (known != last) return make(Op::external, known->second, which);

  ExternalCall call{std::move(function), {arguments.begin(), arguments.end()}, Rate::held};
  for (NodeId argument : arguments) {
    if (is_array(argument))
      throw ModelError("function '" + call.function->name() + "' takes scalars, not arrays");
    // At least held: even with constant arguments a call belongs to run time.
    call.rate = std::max(call.rate, nodes_[argument].rate);
  }
  calls_.push_back(std::move(call));
  const auto id = static_cast<std::uint32_t>(calls_.size() - 1);
  call_ids_.emplace(h, id);
  return make(Op::external, id, which);
}

std::shared_ptr<const ExternalFunction> Graph::jacobian_of(const ExternalFunction& function) {
  const auto [it, is_new] = jacobians_.try_emplace(&function);
  if (is_new) it->second = function.jacobian();
  return it->second;
}

std::shared_ptr<const Graph> Graph::freeze() && {
  hash_table_ = {};
  constant_ids_ = {};
  table_ids_ = {};
  lane_ids_ = {};
  nodes_.shrink_to_fit();
  return std::shared_ptr<const Graph>(new Graph(std::move(*this)));
}

std::unique_ptr<Graph> Graph::thaw() const {
  std::unique_ptr<Graph> copy(new Graph(*this));
  if (!copy->hash_table_.empty()) return copy;
  copy->rebuild_hash_table(std::bit_ceil(2 * nodes_.size() + first_hash_table_size));
  for (NodeId id = 0; id < nodes_.size(); ++id)
    if (is_constant(id))
      copy->constant_ids_.emplace(std::bit_cast<std::uint64_t>(constant_value(id)), id);
  for (std::uint32_t id = 0; id < tables_.size(); ++id)
    copy->table_ids_.emplace(hash_of(tables_[id]), id);
  return copy;
}

}  // namespace saltus
