#include <saltus/simulate/analysis_json.hpp>

#include <limits>
#include <sstream>

#include <saltus/core/json_writer.hpp>

#include "simulate/transitions_json.hpp"

namespace saltus {

namespace {

std::uint64_t wide(std::uint64_t n) { return n; }

void put_texts(JsonWriter& json, std::string_view key, const std::vector<std::string>& texts) {
  json.key(key);
  json.open_array();
  for (const std::string& text : texts) json.value(std::string_view(text));
  json.close_array();
}

/// Names of some elements of a list.
void put_chosen(JsonWriter& json, std::string_view key, const std::vector<std::string>& names,
                const std::vector<std::uint32_t>& which) {
  json.key(key);
  json.open_array();
  for (const std::uint32_t k : which) json.value(std::string_view(names[k]));
  json.close_array();
}

void put_numbers(JsonWriter& json, std::string_view key, const std::vector<double>& numbers) {
  json.key(key);
  json.open_array();
  for (const double number : numbers) json.value(number);
  json.close_array();
}

template <class T, class Put>
void put_optional(JsonWriter& json, std::string_view key, const std::optional<T>& content,
                  Put&& put) {
  json.key(key);
  if (content) {
    put(*content);
  } else {
    json.null();
  }
}

void put_decisions(JsonWriter& json, const std::vector<RankDecision>& decisions) {
  json.key("rank_decisions");
  json.open_array();
  for (const RankDecision& d : decisions) {
    json.open_object();
    json.member("matrix", d.matrix);
    json.member("rank", wide(d.rank));
    json.member("gap", d.gap);
    json.member("note", d.note);
    json.close_object();
  }
  json.close_array();
}

// ---- analyses ------------------------------------------------------------------------------------------

void put_blocks(JsonWriter& json, const StructuralAnalysis& s) {
  json.key("blocks");
  json.open_array();
  for (const auto& block : s.blocks.blocks) {
    json.open_object();
    put_chosen(json, "equations", s.equations, block.equations);
    put_chosen(json, "unknowns", s.unknowns, block.unknowns);
    json.close_object();
  }
  json.close_array();
  for (const auto& [key, part] : {std::pair{"overdetermined", &s.parts.overdetermined},
                                  std::pair{"underdetermined", &s.parts.underdetermined}}) {
    json.key(key);
    json.open_object();
    put_chosen(json, "equations", s.equations, part->equations);
    put_chosen(json, "unknowns", s.unknowns, part->unknowns);
    json.close_object();
  }
}

void put_demands(JsonWriter& json, const StructuralAnalysis& s) {
  json.key("inputs");
  json.open_array();
  for (const SignalDemand& d : s.signals) {
    json.open_object();
    json.member("name", s.inputs[d.signal]);
    json.member("derivatives_needed", wide(d.order));
    json.member("derivatives_available", d.available == std::numeric_limits<int>::max()
                                             ? std::numeric_limits<double>::infinity()
                                             : static_cast<double>(d.available));
    json.member("equation", s.equations[d.equation]);
    json.close_object();
  }
  json.close_array();
}

void put_structure(JsonWriter& json, const ModeAnalysis& m) {
  const StructuralAnalysis& s = m.structure;
  json.key("structure");
  json.open_object();
  put_texts(json, "equations", s.equations);
  put_texts(json, "unknowns", s.unknowns);
  json.member("singular", s.is_singular());
  put_optional(json, "index", s.offsets, [&](const auto& o) { json.value(wide(o.index)); });
  put_optional(json, "degrees_of_freedom", s.offsets,
               [&](const auto& o) { json.value(wide(o.degrees_of_freedom)); });
  put_texts(json, "states", m.states);
  put_blocks(json, s);
  json.key("differentiated");
  json.open_array();
  for (const DifferentiatedEquation& e : s.differentiated) {
    json.open_object();
    json.member("equation", s.equations[e.equation]);
    json.member("times", wide(e.times));
    json.close_object();
  }
  json.close_array();
  json.key("hidden_constraints");
  json.open_array();
  for (const HiddenConstraint& h : m.hidden_constraints) {
    json.open_object();
    json.member("equation", s.equations[h.equation]);
    json.member("derivative", wide(h.derivative));
    json.member("text", h.text);
    json.close_object();
  }
  json.close_array();
  json.member("n_hidden_not_listed", wide(m.n_hidden_not_listed));
  put_demands(json, s);
  put_optional(json, "check", m.check, [&](const StructureCheck& c) {
    json.open_object();
    json.member("regular", c.regular);
    json.member("at_consistent_point", c.at_consistent_point);
    json.member("gap", c.gap);
    put_chosen(json, "dependent_equations", s.equations, c.equations);
    put_chosen(json, "open_unknowns", s.unknowns, c.unknowns);
    json.close_object();
  });
  json.close_object();
}

void put_mode(JsonWriter& json, const ModeAnalysis& m) {
  json.open_object();
  json.member("mode", m.mode);
  put_structure(json, m);
  put_optional(json, "values", m.values, [&](const CharacteristicValues& v) {
    json.open_object();
    json.member("mu", static_cast<double>(v.mu));
    json.member("d", wide(v.d));
    json.member("a", wide(v.a));
    json.member("v", wide(v.v));
    json.member("u", wide(v.u));
    json.close_object();
  });
  json.member("refusal", m.refusal);
  put_optional(json, "orders", m.orders, [&](const OrderCounts& o) {
    json.open_object();
    json.member("second", wide(o.second));
    json.member("first", wide(o.first));
    json.close_object();
  });
  put_decisions(json, m.decisions);
  put_optional(json, "agree", m.agree, [&](bool agree) { json.value(agree); });
  put_texts(json, "remarks", m.remarks);
  json.member("classes_by_structure", m.classes_by_structure);
  json.key("classes");
  json.open_object();
  for (const ClassifiedUnknown& u : m.unknowns) json.member(u.name, to_text(u.what));
  json.close_object();
  json.close_object();
}

// ---- linearisations ------------------------------------------------------------------------------------

void put_matrix(JsonWriter& json, std::string_view key, const Matrix& m) {
  json.key(key);
  json.open_array();
  for (std::uint32_t i = 0; i < m.n_rows; ++i) {
    json.open_array();
    for (std::uint32_t j = 0; j < m.n_cols; ++j) json.value(m(i, j));
    json.close_array();
  }
  json.close_array();
}

void put_pencil_modes(JsonWriter& json, const PencilAnalysis& p) {
  json.key("modes");
  json.open_array();
  for (const PencilMode& mode : p.modes) {
    json.open_object();
    json.member("real", mode.value.real());
    json.member("imaginary", mode.value.imag());
    const auto number = [&](double value) { json.value(value); };
    put_optional(json, "uncertainty", mode.uncertainty, number);
    const auto flag = [&](std::string_view key, bool known, bool truth) {
      json.key(key);
      if (known) {
        json.value(truth);
      } else {
        json.null();
      }
    };
    flag("controllable", p.controllability.has_value(), mode.controllable);
    put_optional(json, "controllability_margin", mode.controllability_margin, number);
    flag("observable", p.observability.has_value(), mode.observable);
    put_optional(json, "observability_margin", mode.observability_margin, number);
    json.close_object();
  }
  json.close_array();
}

std::string_view name_of_pair(PairStructure structure) {
  if (structure == PairStructure::symmetric) return "symmetric";
  return structure == PairStructure::self_adjoint ? "self_adjoint" : "general";
}

void put_pencil(JsonWriter& json, const Linearization& l) {
  const PencilAnalysis& p = l.pencil;
  json.key("pencil");
  json.open_object();
  json.member("regular", p.regular);
  json.member("normal_rank", wide(p.normal_rank));
  put_chosen(json, "dependent_equations", l.equations, p.dependent_equations);
  put_chosen(json, "open_unknowns", l.unknowns, p.open_unknowns);
  json.member("index", wide(p.index));
  json.member("n_infinite", wide(p.n_infinite));
  put_pencil_modes(json, p);
  const auto put_ranks = [&](const ReachRanks& r) {
    json.open_object();
    json.member("finite", wide(r.finite));
    json.member("at_infinity", r.at_infinity);
    json.member("all", r.all);
    json.close_object();
  };
  put_optional(json, "controllability", p.controllability, put_ranks);
  put_optional(json, "observability", p.observability, put_ranks);
  json.member("structure", name_of_pair(p.structure));
  std::vector<std::uint32_t> negated;
  for (std::uint32_t i = 0; i < p.negated_equations.size(); ++i)
    if (p.negated_equations[i]) negated.push_back(i);
  put_chosen(json, "negated_equations", l.equations, negated);
  put_decisions(json, p.decisions);
  put_texts(json, "remarks", p.remarks);
  json.close_object();
}

template <class T>
std::string json_text_of(const T& content) {
  std::ostringstream out;
  write_json(content, out);
  return std::move(out).str();
}

}  // namespace

bool write_json(const ModelAnalysis& analysis, std::ostream& out) {
  JsonWriter json(out);
  json.open_object();
  json.member("model", analysis.model);
  json.member("t", analysis.t);
  json.key("modes");
  json.open_array();
  for (const ModeAnalysis& m : analysis.modes) put_mode(json, m);
  json.close_array();
  json.member("regular", analysis.regular);
  json.member("largest_mu", static_cast<double>(analysis.largest_mu));
  json.member("largest_index", wide(analysis.largest_index));
  put_texts(json, "mode_names", analysis.mode_names);
  json.member("first_mode", analysis.first_mode);
  put_texts(json, "unreachable", analysis.unreachable);
  put_texts(json, "not_analysed", analysis.not_analysed);
  detail::put_transitions(json, analysis.transitions);
  json.close_object();
  return json.finish();
}

bool write_json(const Linearization& linearization, std::ostream& out) {
  const Linearization& l = linearization;
  JsonWriter json(out);
  json.open_object();
  json.member("subject", l.subject);
  json.member("t", l.t);
  put_texts(json, "equations", l.equations);
  put_texts(json, "unknowns", l.unknowns);
  put_texts(json, "inputs", l.inputs);
  put_texts(json, "outputs", l.outputs);
  put_numbers(json, "x", l.x);
  put_numbers(json, "xdot", l.xdot);
  json.member("at_rest", l.at_rest);
  put_matrix(json, "E", l.matrices.e);
  put_matrix(json, "A", l.matrices.a);
  put_matrix(json, "B", l.matrices.b);
  put_matrix(json, "C", l.matrices.c);
  put_matrix(json, "C_dot", l.matrices.c_dot);
  put_matrix(json, "D", l.matrices.d);
  put_pencil(json, l);
  json.close_object();
  return json.finish();
}

std::string to_json(const ModelAnalysis& analysis) { return json_text_of(analysis); }
std::string to_json(const Linearization& linearization) { return json_text_of(linearization); }

}  // namespace saltus
