// What a named problem that switches consists of, and how a run is compared with its reference.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <saltus/saltus.hpp>

namespace saltus::problems {

/// One smooth stretch of a solution: the values of all choices and discrete variables, lane by lane.
using Choices = std::map<std::string, std::vector<double>>;

/// Writes a model once for two purposes: with its switches, or frozen as it is during one stretch, so that
/// it can be integrated by an engine that knows no events. Keys name the choices in both.
class ModelWriter {
 public:
  /// Nominal values help; a run must be right without them as well.
  enum class Nominal { stated, left_out };
  explicit ModelWriter(Model& model, const Choices* frozen = nullptr,
                       Nominal nominal = Nominal::stated)
      : m(model), frozen_(frozen), nominal_(nominal) {}

  Model& m;
  double nominal(double value) const { return nominal_ == Nominal::stated ? value : 1.0; }
  bool is_frozen() const { return frozen_ != nullptr; }

  /// The text under which a relation will be found in the event table.
  void name(const std::string& key, const Cond& relation) {
    texts[key] = condition_text(m.graph(), relation.literal());
  }
  void name_lanes(const std::string& key, const Cond& relation, std::uint32_t n) {
    for (std::uint32_t i = 0; i < n; ++i) {
      texts[lane_key(key, i)] = condition_text(m.graph(), relation.literal(), i);
    }
  }

  /// a where the relation holds, else b. The branch not taken does not occur in a frozen model.
  Expr choose(const std::string& key, const Cond& condition, const Expr& a, const Expr& b) {
    if (is_frozen()) return frozen_->at(key)[0] != 0.0 ? a : b;
    name(key, condition);
    return where(condition, a, b);
  }
  /// The same for arrays: a frozen model has parameters 0 or 1 for the lanes, so both must be defined.
  Expr choose_lanes(const std::string& key, const Cond& condition, const Expr& a, const Expr& b) {
    if (is_frozen()) return b + m.parameters(key, frozen_->at(key)) * (a - b);
    name_lanes(key, condition, a.size());
    return where(condition, a, b);
  }
  Expr discrete(const std::string& key, double start) {
    return is_frozen() ? Expr(frozen_->at(key)[0]) : m.discrete(key, start);
  }
  /// The key of the relation is the clause's name.
  void when(const std::string& key, const Cond& condition, std::vector<Model::Set> assignments) {
    if (is_frozen()) return;
    name(key, condition);
    m.when(key, condition, std::move(assignments));
  }

  static std::string lane_key(const std::string& key, std::size_t lane) {
    return key + " " + std::to_string(lane);
  }

  std::map<std::string, std::string> texts;  // of relations, by key; empty for a frozen model

 private:
  const Choices* frozen_;
  Nominal nominal_;
};

struct ReferenceEvent {
  double t = 0.0;
  std::string key;    // of the relation
  int direction = 0;  // of left side minus right side of the relation
};

/// By name of the unknown.
using NamedState = std::map<std::string, double>;

struct SwitchedProblem {
  std::string name;
  std::function<void(ModelWriter&)> write;
  double t_end = 1.0;
  std::vector<ReferenceEvent> events = {};
  std::vector<Named<double>> final_values = {};
  bool explicit_engines = true;
  std::string file = {};  // in tests/reference; empty: a closed solution

  // For an oracle: what holds at the begin, what event k changes, what it does to the state.
  Choices choices = {};
  std::function<void(std::size_t event, Choices&)> switch_at = {};
  std::function<void(std::size_t event, NamedState&)> jump_at = {};
};

/// One that counts: it interrupted the solution by itself.
struct CountedEvent {
  double t = 0.0;
  std::string relation;
  int direction = 0;
};

/// "v2 < v3" and "v2 > v3" have the same surface, wherever they are written ("file.hpp:12: v2 < v3").
inline std::string surface_of(const std::string& relation) {
  std::string surface;
  const std::size_t place = relation.find(": ");
  for (const char c : place == std::string::npos ? relation : relation.substr(place + 2)) {
    if (c != '<' && c != '>' && c != '=') surface.push_back(c);
  }
  surface.erase(std::remove(surface.begin(), surface.end(), ' '), surface.end());
  return surface;
}

/// The events of a run that changed the active equations or led to an action: crossings and known times
/// that interrupted it, each surface once per instant. Flipped locks and what only followed are left out.
inline std::vector<CountedEvent> counted_events(const EventLog& log) {
  std::vector<CountedEvent> counted;
  for (const EventInstant& instant : log.instants()) {
    std::vector<std::string> seen;
    for (const Event& e : log.events_of(instant)) {
      if (e.micro_step != 0) continue;
      if (e.kind != EventKind::state && e.kind != EventKind::scheduled) continue;
      const std::string& text = e.text.empty() ? e.name : e.text;
      const std::string surface = surface_of(text);
      if (std::find(seen.begin(), seen.end(), surface) != seen.end()) continue;
      seen.push_back(surface);
      counted.push_back({e.t, text, e.direction});
    }
  }
  return counted;
}

struct SequenceComparison {
  bool complete = false;  // the same events in the same order, no other
  std::size_t n_expected = 0;
  std::size_t n_found = 0;
  std::size_t n_alike = 0;          // before the first difference
  double largest_time_error = 0.0;  // among those
  std::string first_difference;
};

/// Compares the first events of a run with those of the reference; with `exactly`, no further event may
/// follow. Events whose true times are closer than `resolution` may come in another order.
inline SequenceComparison compare_events(const std::vector<CountedEvent>& found,
                                         const std::vector<ReferenceEvent>& expected,
                                         const std::map<std::string, std::string>& texts,
                                         bool exactly = true, double resolution = 0.0) {
  SequenceComparison c;
  c.n_expected = expected.size();
  c.n_found = found.size();
  const auto say = [](const std::string& relation, double t, int direction) {
    return relation + " at " + to_text(t) + (direction > 0 ? " rising" : " falling");
  };
  std::vector<std::string> surfaces;
  for (const ReferenceEvent& e : expected) surfaces.push_back(surface_of(texts.at(e.key)));
  std::vector<std::uint8_t> taken(expected.size(), 0);
  std::size_t next = 0;  // the first one that has not been found
  for (const CountedEvent& f : found) {
    while (next < expected.size() && taken[next]) ++next;
    if (next == expected.size()) {
      if (exactly) c.first_difference = "one too many: " + say(f.relation, f.t, f.direction);
      break;
    }
    const std::string surface = surface_of(f.relation);
    std::size_t k = next;
    while (k < expected.size() && expected[k].t <= expected[next].t + resolution &&
           (taken[k] || surfaces[k] != surface || expected[k].direction != f.direction)) {
      ++k;
    }
    if (k == expected.size() || expected[k].t > expected[next].t + resolution) {
      const ReferenceEvent& e = expected[next];
      c.first_difference = std::to_string(c.n_alike + 1) +
                           ". event: " + say(texts.at(e.key), e.t, e.direction) +
                           " expected, found " + say(f.relation, f.t, f.direction);
      return c;
    }
    taken[k] = 1;
    ++c.n_alike;
    c.largest_time_error = std::max(c.largest_time_error, std::abs(f.t - expected[k].t));
  }
  while (next < expected.size() && taken[next]) ++next;
  if (next < expected.size()) {
    const ReferenceEvent& e = expected[next];
    c.first_difference = std::to_string(c.n_alike + 1) +
                         ". event: " + say(texts.at(e.key), e.t, e.direction) + " is missing";
  }
  c.complete = c.first_difference.empty();
  return c;
}

/// The largest error at the end in units of tol |x| + tol nominal; infinity if it did not arrive.
inline double end_error(const Solution& s, const SwitchedProblem& problem) {
  if (!s.ok() || s.t_end() != problem.t_end) return std::numeric_limits<double>::infinity();
  double worst = 0.0;
  for (const auto& [variable, value] : problem.final_values) {
    worst = std::max(worst, std::abs(s.final(variable) - value) / (1.0 + std::abs(value)));
  }
  return worst;
}

struct WrittenModel {
  std::shared_ptr<const ModelDefinition> definition;
  std::map<std::string, std::string> texts;
};

inline WrittenModel write_model(const SwitchedProblem& problem, const Choices* frozen = nullptr,
                                ModelWriter::Nominal nominal = ModelWriter::Nominal::stated) {
  Model model(problem.name);
  ModelWriter writer(model, frozen, nominal);
  problem.write(writer);
  return {model.build(), writer.texts};
}

}  // namespace saltus::problems
