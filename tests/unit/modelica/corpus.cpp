#include "corpus.hpp"

#include <algorithm>
#include <sstream>

namespace saltus::test {

namespace {

/// The quoted part of a line, and what follows it.
std::pair<std::string, std::string> quoted_and_rest(const std::string& line) {
  const std::size_t first = line.find('"'), last = line.rfind('"');
  if (first == std::string::npos || last == first) throw Error("no quoted name: " + line);
  return {line.substr(first + 1, last - first - 1), line.substr(last + 1)};
}

Expectations::Value value_of(const std::string& rest) {
  Expectations::Value v;
  // x[1,2](1.5) = 2.25 +- 1e-6
  const std::size_t equals = rest.find(" = ");
  std::string what = rest.substr(0, equals);
  if (what.starts_with("left ")) {
    v.side = Side::left;
    what = what.substr(5);
  }
  const std::size_t open = what.rfind('(');
  v.variable = what.substr(0, open);
  v.t = std::stod(what.substr(open + 1));
  std::istringstream numbers(rest.substr(equals + 3));
  std::string sign;
  if (!(numbers >> v.value >> sign >> v.tolerance) || sign != "+-")
    throw Error("not understood: " + rest);
  return v;
}

}  // namespace

Expectations expectations_of(const std::string& text) {
  Expectations e;
  std::istringstream lines(text);
  std::string line;
  while (std::getline(lines, line) && line.starts_with("//")) {
    std::istringstream words(line.substr(2));
    std::string word, rest;
    words >> word;
    std::getline(words >> std::ws, rest);
    if (word == "value") {
      e.values.push_back(value_of(rest));
    } else if (word == "events") {
      const auto [name, count] = quoted_and_rest(rest);
      e.counts.emplace_back(name, std::stoul(count));
    } else if (word == "event") {
      const auto [name, when] = quoted_and_rest(rest);
      std::istringstream numbers(when);
      Expectations::Happening h{name};
      std::string sign;
      if (!(numbers >> h.t >> sign >> h.tolerance)) throw Error("not understood: " + line);
      e.happenings.push_back(h);
    } else if (word == "instant") {
      std::istringstream numbers(rest);
      Expectations::Happening h;
      std::string sign;
      if (!(numbers >> h.t >> sign >> h.tolerance)) throw Error("not understood: " + line);
      e.instants.push_back(h);
    } else if (word == "instants") {
      e.n_instants = std::stoul(rest);
    } else if (word == "outcome") {
      e.outcome = rest;
    } else if (word == "says") {
      e.says.push_back(rest);
    } else if (word == "parameter") {
      const std::size_t equals = rest.find(" = ");
      e.options.parameters.emplace_back(rest.substr(0, equals), std::stod(rest.substr(equals + 3)));
      continue;
    } else if (word == "stop") {
      e.stop = std::stod(rest);
      continue;
    } else if (word == "error" || word == "warning") {
      e.diagnostics.push_back(word + " " + rest);
    } else {
      continue;
    }
    e.any = true;
  }
  return e;
}

std::vector<std::string> complaints_about(const std::string& text, const std::string& file_name) {
  std::vector<std::string> wrong;
  const Expectations e = expectations_of(text);
  if (!e.any) wrong.push_back("nothing is expected of it");
  const ReadModel read = read_modelica(text, file_name, e.options);
  std::vector<std::string> said;
  for (const Diagnostic& d : read.diagnostics)
    said.push_back((d.is_error() ? "error " : "warning ") + std::to_string(d.line) + ":" +
                   std::to_string(d.column) + " " + d.message);
  for (const std::string& d : e.diagnostics)
    if (std::find(said.begin(), said.end(), d) == said.end()) wrong.push_back("not said: " + d);
  for (const std::string& d : said)
    if (std::find(e.diagnostics.begin(), e.diagnostics.end(), d) == e.diagnostics.end())
      wrong.push_back("said: " + d);
  if (!read.ok()) return wrong;

  RunOptions options;
  options.t_begin = read.experiment.start_time.value_or(0.0);
  options.t_end = e.stop.value_or(read.experiment.stop_time.value_or(1.0));
  options.rtol = options.atol = read.experiment.tolerance.value_or(1e-8);
  try {
    const Solution s = simulate(*read.model, options);
    if (name(s.report.outcome) != e.outcome)
      wrong.push_back("it ends as " + std::string(name(s.report.outcome)) + ": " +
                      s.report.message);
    for (const std::string& part : e.says)
      if (s.report.message.find(part) == std::string::npos)
        wrong.push_back("the report says: " + s.report.message);
    for (const auto& v : e.values) {
      const double got = s.at(v.variable, v.t, v.side);
      if (!(std::abs(got - v.value) <= v.tolerance))
        wrong.push_back(v.variable + "(" + to_text(v.t) + ") is " + to_text(got) + ", not " +
                        to_text(v.value));
    }
    for (const auto& [event, count] : e.counts)
      if (const std::size_t n = s.event_times(event).size(); n != count)
        wrong.push_back(std::to_string(n) + " events '" + event + "', not " +
                        std::to_string(count));
    if (e.n_instants && s.instants().size() != *e.n_instants)
      wrong.push_back(std::to_string(s.instants().size()) + " instants, not " +
                      std::to_string(*e.n_instants));
    for (const auto& h : e.instants)
      if (std::none_of(s.instants().begin(), s.instants().end(),
                       [&](const EventInstant& i) { return std::abs(i.t - h.t) <= h.tolerance; }))
        wrong.push_back("nothing happens at " + to_text(h.t));
    for (const auto& h : e.happenings) {
      const std::vector<double> times = s.event_times(h.name);
      if (std::none_of(times.begin(), times.end(),
                       [&](double t) { return std::abs(t - h.t) <= h.tolerance; }))
        wrong.push_back("no event '" + h.name + "' at " + to_text(h.t));
    }
  } catch (const Error& error) {
    wrong.push_back(std::string("refused: ") + error.what());
  }
  return wrong;
}

}  // namespace saltus::test
