// saltus list: what is in a model, or in a result file.
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <spdlog/fmt/fmt.h>

#include <algorithm>

#include <saltus/core/text.hpp>
#include <saltus/io.hpp>

#include "commands.hpp"
#include "model_file.hpp"
#include "written_files.hpp"

namespace saltus::app {

namespace {

using Json = nlohmann::ordered_json;

std::string kind_text(InputKind kind) {
  switch (kind) {
    case InputKind::state:
      return "state";
    case InputKind::algebraic:
      return "algebraic";
    case InputKind::discrete:
      return "discrete";
    case InputKind::parameter:
      return "parameter";
    default:
      return "input";
  }
}

Json variables_of(const ModelDefinition& model, const std::vector<ReadParameter>& parameters) {
  Json out = Json::array();
  // An input that nothing drives is a parameter to the library.
  const auto is_parameter = [&](const Variable& variable) {
    return variable.kind == InputKind::parameter &&
           std::any_of(parameters.begin(), parameters.end(), [&](const ReadParameter& parameter) {
             return parameter.name == variable.name ||
                    parameter.name.starts_with(variable.name + "[");
           });
  };
  std::vector<std::string> inputs;
  for (const Variable& variable : model.variables()) {
    if (variable.hidden || is_parameter(variable)) continue;
    const bool is_input =
        variable.kind == InputKind::parameter || variable.kind == InputKind::signal;
    if (is_input) inputs.push_back(variable.name);
    Json entry;
    entry["name"] = variable.is_array ? variable.name + "[" + std::to_string(variable.count) + "]"
                                      : variable.name;
    entry["kind"] = is_input ? "input" : kind_text(variable.kind);
    const std::optional<double> start = variable.start_of(0);
    entry["start"] = start ? Json(*start) : Json(nullptr);
    entry["unit"] = variable.attributes.unit;
    entry["description"] = variable.attributes.description;
    out.push_back(std::move(entry));
  }
  for (const NamedExpression& output : model.outputs()) {
    // What shows an input is that input.
    if (std::find(inputs.begin(), inputs.end(), output.name) != inputs.end()) continue;
    out.push_back({{"name", output.name},
                   {"kind", "output"},
                   {"start", nullptr},
                   {"unit", output.unit},
                   {"description", output.description}});
  }
  return out;
}

Json events_of(const ModelDefinition& model) {
  Json out = Json::array();
  const Graph& graph = model.graph();
  for (std::uint32_t r = 0; r < graph.n_relations(); ++r) {
    if (!graph.relation(r).tracked()) continue;
    const std::string text = relation_text(graph, r), given = model.relation_name(r);
    out.push_back({{"name", given.empty() ? text : given}, {"kind", "relation"}, {"text", text}});
  }
  for (const WhenClause& clause : model.when_clauses())
    out.push_back({{"name", clause.name},
                   {"kind", clause.terminal ? "terminal action" : "action"},
                   {"text", clause.message}});
  for (const Clock& clock : model.clocks())
    out.push_back(
        {{"name", clock.name},
         {"kind", "clock"},
         {"text", "at " + to_text(clock.start) + " s, every " + to_text(clock.interval) + " s"}});
  return out;
}

Json modes_of(const ModelDefinition& model) {
  Json out = Json::array();
  for (const Mode& mode : model.modes())
    out.push_back(
        {{"name", mode.name}, {"first", &mode - model.modes().data() == model.first_mode()}});
  return out;
}

Json transitions_of(const ModelDefinition& model) {
  Json out = Json::array();
  for (const Transition& transition : model.transitions()) {
    std::vector<std::string> to;
    for (const ModeId mode : transition.candidates) to.push_back(model.modes()[mode].name);
    out.push_back(
        {{"name", transition.name}, {"from", model.modes()[transition.from].name}, {"to", to}});
  }
  return out;
}

/// Aligned columns under their names.
std::string table_text(const std::string& title, const Json& rows) {
  if (rows.empty()) return "";
  const auto cell = [](const Json& value) {
    return value.is_string()   ? value.get<std::string>()
           : value.is_null()   ? std::string()
           : value.is_number() ? to_text(value.get<double>())
           : value.is_array()  ? join(value.get<std::vector<std::string>>(), ", ")
                               : value.dump();
  };
  std::vector<std::string> names;
  std::vector<std::size_t> widths;
  for (const auto& [name, value] : rows.front().items()) {
    std::size_t width = name.size();
    for (const Json& row : rows) width = std::max(width, cell(row[name]).size());
    names.push_back(name);
    widths.push_back(width);
  }
  std::string text = title + "\n";
  const auto line = [&](const auto& get) {
    std::string one = " ";
    for (std::size_t k = 0; k < names.size(); ++k)
      one += fmt::format(" {:<{}}", get(names[k]), widths[k]);
    one.resize(one.find_last_not_of(' ') + 1);
    text += one + "\n";
  };
  line([](const std::string& name) { return name; });
  for (const Json& row : rows) line([&](const std::string& name) { return cell(row[name]); });
  return text + "\n";
}

class ListCommand final : public Command {
 public:
  CLI::App* add_to(CLI::App& program) override {
    CLI::App* command = program.add_subcommand("list", "variables, parameters, events and modes");
    command->add_option("file", model_.path, "a model (.mo) or a result (" + result_endings() + ")")
        ->required();
    command->add_option("-p,--parameter", model_.parameters, "name=value of a parameter")
        ->type_name("NAME=VALUE")
        ->take_all()
        ->allow_extra_args(false);
    return command;
  }

  ExitCode execute(const Manner& manner) override {
    refuse_json(model_.path);
    const Json out = format_of(model_.path) ? list_result() : list_model();
    if (manner.json) {
      say(out.dump(2) + "\n");
      return ExitCode::ok;
    }
    std::string text;
    for (const char* key : {"variables", "parameters", "events", "modes", "transitions"})
      if (out.contains(key)) text += table_text(key, out[key]);
    say(text);
    return ExitCode::ok;
  }

 private:
  Json list_model() {
    const ReadModel read = load_model(model_);
    std::shared_ptr<const ModelDefinition> model;
    try {
      model = read.model->build();
    } catch (const Error& error) {
      throw Problem(ExitCode::bad_model, error.what());
    }
    Json out;
    out["model"] = model->name();
    out["variables"] = variables_of(*model, read.parameters);
    Json parameters = Json::array();
    for (const ReadParameter& parameter : read.parameters)
      parameters.push_back({{"name", parameter.name},
                            {"value", parameter.value},
                            {"unit", parameter.unit},
                            {"can be set", parameter.can_be_set ? "yes" : "no"},
                            {"description", parameter.description}});
    out["parameters"] = std::move(parameters);
    out["events"] = events_of(*model);
    out["modes"] = modes_of(*model);
    out["transitions"] = transitions_of(*model);
    return out;
  }

  Json list_result() {
    ResultFile result;
    try {
      result = load_result(model_.path);
    } catch (const FileError& error) {
      throw Problem(ExitCode::bad_model, error.what());
    }
    Json out, variables = Json::array(), parameters = Json::array(), events = Json::array();
    std::vector<ResultColumn> columns = result.table.columns;
    columns.insert(columns.end(), result.derivatives.table.columns.begin(),
                   result.derivatives.table.columns.end());
    for (const ResultColumn& column : columns) {
      const auto [low, high] = std::minmax_element(column.values.begin(), column.values.end());
      const bool any = !column.values.empty();
      variables.push_back({{"name", column.name},
                           {"unit", column.unit},
                           {"smallest", any ? Json(*low) : Json(nullptr)},
                           {"largest", any ? Json(*high) : Json(nullptr)},
                           {"description", column.description}});
    }
    for (const ResultParameter& parameter : result.parameters)
      parameters.push_back({{"name", parameter.name},
                            {"value", parameter.value},
                            {"unit", parameter.unit},
                            {"description", parameter.description}});
    for (const ResultEvent& event : result.events)
      events.push_back({{"time", event.what.t},
                        {"kind", std::string(name(event.what.kind))},
                        {"name", event.what.name},
                        {"what changed", event.changes}});
    out["model"] = result.model;
    out["rows"] = result.table.times.size();
    out["variables"] = std::move(variables);
    out["parameters"] = std::move(parameters);
    out["events"] = std::move(events);
    return out;
  }

  ModelFile model_;
};

}  // namespace

std::unique_ptr<Command> list_command() { return std::make_unique<ListCommand>(); }

}  // namespace saltus::app
