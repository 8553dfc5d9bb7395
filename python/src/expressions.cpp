// Nodes and conditions of a model's graph, as numbers. Shapes are the business of Python: here an array is a row of
// lanes.
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <saltus/expr/text.hpp>

#include "bindings.hpp"

namespace saltus::python {

namespace {

using Numbers = py::array_t<double, py::array::c_style | py::array::forcecast>;
using Lanes = py::array_t<std::uint32_t, py::array::c_style | py::array::forcecast>;
using Unary = Expr (*)(const Expr&);
using Binary = Expr (*)(const Expr&, const Expr&);
using Comparing = Cond (*)(const Expr&, const Expr&);

constexpr std::pair<const char*, Unary> unary_functions[] = {
    {"neg", [](const Expr& a) { return -a; }},
    {"sqrt", sqrt},
    {"exp", exp},
    {"log", log},
    {"sin", sin},
    {"cos", cos},
    {"tan", tan},
    {"asin", asin},
    {"acos", acos},
    {"atan", atan},
    {"sinh", sinh},
    {"cosh", cosh},
    {"tanh", tanh},
    {"abs", [](const Expr& a) { return abs(a); }},
    {"sign", [](const Expr& a) { return sign(a); }},
    {"sum", sum},
    {"min_of", min_of},
    {"max_of", max_of},
    {"pre", pre},
};

constexpr std::pair<const char*, Binary> binary_functions[] = {
    {"add", [](const Expr& a, const Expr& b) { return a + b; }},
    {"sub", [](const Expr& a, const Expr& b) { return a - b; }},
    {"mul", [](const Expr& a, const Expr& b) { return a * b; }},
    {"div", [](const Expr& a, const Expr& b) { return a / b; }},
    {"pow", pow},
    {"atan2", atan2},
    {"min", [](const Expr& a, const Expr& b) { return min(a, b); }},
    {"max", [](const Expr& a, const Expr& b) { return max(a, b); }},
};

constexpr std::pair<const char*, Comparing> comparisons[] = {
    {"greater", [](const Expr& a, const Expr& b) { return a > b; }},
    {"greater_equal", [](const Expr& a, const Expr& b) { return a >= b; }},
    {"less", [](const Expr& a, const Expr& b) { return a < b; }},
    {"less_equal", [](const Expr& a, const Expr& b) { return a <= b; }},
    {"equal", [](const Expr& a, const Expr& b) -> Cond { return a == b; }},
    {"not_equal", [](const Expr& a, const Expr& b) { return a != b; }},
};

/// Lanes of numbers; a repeated one is one node.
NodeId constants(ModelBuilder& m, const Numbers& values) {
  Graph& g = m.graph();
  std::vector<NodeId> ids(static_cast<std::size_t>(values.size()));
  for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = g.constant(values.data()[i]);
  return g.lanes(ids);
}

NodeId take(ModelBuilder& m, NodeId array, const Lanes& which) {
  return m.graph().take(array, {which.data(), which.data() + which.size()});
}

/// Arrays and scalars one after the other.
NodeId concatenate(ModelBuilder& m, const std::vector<NodeId>& parts) {
  Graph& g = m.graph();
  std::vector<NodeId> lanes;
  for (const NodeId part : parts)
    for (std::uint32_t j = 0; j < g.lane_count(part); ++j)
      lanes.push_back(g.is_array(part) ? g.lane(part, j) : part);
  return g.lanes(lanes);
}

}  // namespace

void add_expressions(BuilderClass& builder) {
  for (const auto& [name, f] : unary_functions)
    builder.def(name, [f = f](ModelBuilder& m, NodeId a) { return f(m.value(a)).id(); });
  for (const auto& [name, f] : binary_functions)
    builder.def(name, [f = f](ModelBuilder& m, NodeId a, NodeId b) {
      return f(m.value(a), m.value(b)).id();
    });
  for (const auto& [name, f] : comparisons)
    builder.def(name, [f = f](ModelBuilder& m, NodeId a, NodeId b) {
      return f(m.value(a), m.value(b)).literal();
    });
  builder.def("conjunction",
              [](ModelBuilder& m, Literal a, Literal b) { return m.graph().conjunction(a, b); });
  builder.def_static("negate", [](Literal a) { return negate(a); });
  builder.def("where", [](ModelBuilder& m, Literal condition, NodeId a, NodeId b) {
    return where(m.condition(condition), m.value(a), m.value(b)).id();
  });
  builder.def("der", [](ModelBuilder& m, NodeId a, std::uint32_t order) {
    return der(m.value(a), order).id();
  });
  builder.def("time", [](ModelBuilder& m) { return m.graph().time(); });

  builder.def("constant", [](ModelBuilder& m, double value) { return m.graph().constant(value); });
  builder.def("constants", constants);
  builder.def("take", take);
  builder.def("concatenate", concatenate);
  builder.def("lane", [](ModelBuilder& m, NodeId a, std::uint32_t which) {
    return m.graph().lane(a, which);
  });
  builder.def("broadcast",
              [](ModelBuilder& m, NodeId a, std::uint32_t n) { return m.graph().broadcast(a, n); });

  builder.def("is_array", [](ModelBuilder& m, NodeId a) { return m.graph().is_array(a); });
  builder.def("n_nodes", [](ModelBuilder& m) { return m.graph().size(); });
  builder.def("text", [](ModelBuilder& m, NodeId a) { return to_text(m.graph(), a); });
  builder.def("condition_text", [](ModelBuilder& m, Literal condition) {
    return condition_text(m.graph(), condition);
  });
}

}  // namespace saltus::python
