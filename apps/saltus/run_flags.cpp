#include "run_flags.hpp"

#include <CLI/CLI.hpp>
#include <toml++/toml.h>

#include <algorithm>
#include <sstream>

#include <saltus/core/text.hpp>

#include "program.hpp"

namespace saltus::app {

namespace {

std::string flag_names(const std::string& name) {
  std::string dashed = name;
  std::replace(dashed.begin(), dashed.end(), '_', '-');
  return dashed == name ? "--" + name : "--" + dashed + ",--" + name;
}

std::string flag_help(const OptionInfo& option) {
  std::string text = option.help;
  std::string about = option.type;
  if (!option.bounds.empty()) about += ", " + option.bounds;
  if (!option.default_value.empty()) about += "; default " + option.default_value;
  return text + " (" + about + ")";
}

/// Whether its value is a list of name=value, which a table of a file may write as well.
bool is_list_of_named(const std::string& option) {
  const auto all = list_options<RunOptions>();
  return std::any_of(all.begin(), all.end(), [&](const OptionInfo& info) {
    return info.name == option && info.type.starts_with("list of name=");
  });
}

/// Options of a file by their full names, tables as prefixes, arrays as lists.
void flatten(const toml::table& table, const std::string& prefix,
             std::vector<std::pair<std::string, std::string>>& out) {
  const auto scalar = [](const toml::node& node) -> std::string {
    if (const auto text = node.value_exact<std::string>()) return *text;
    if (const auto truth = node.value_exact<bool>()) return to_text(*truth);
    if (const auto whole = node.value_exact<std::int64_t>()) return to_text(*whole);
    if (const auto number = node.value_exact<double>()) return to_text(*number);
    return "";
  };
  for (const auto& [key, node] : table) {
    const std::string name = prefix + std::string(key.str());
    if (const toml::table* inner = node.as_table(); inner != nullptr && is_list_of_named(name)) {
      std::vector<std::string> parts;
      for (const auto& [of, value] : *inner)
        parts.push_back(std::string(of.str()) + "=" + scalar(value));
      out.emplace_back(name, join(parts, ", "));
    } else if (inner != nullptr) {
      flatten(*inner, name + ".", out);
    } else if (const toml::array* list = node.as_array()) {
      std::vector<std::string> parts;
      for (const toml::node& element : *list) parts.push_back(scalar(element));
      out.emplace_back(name, join(parts, ", "));
    } else {
      out.emplace_back(name, scalar(node));
    }
  }
}

/// Entries of an option file; those below "parameters" are of the model.
std::vector<std::pair<std::string, std::string>> option_file(const std::string& path) {
  std::vector<std::pair<std::string, std::string>> out;
  if (path.empty()) return out;
  try {
    flatten(toml::parse(read_text_file(path), path), "", out);
  } catch (const toml::parse_error& error) {
    std::ostringstream where;
    where << path << ':' << error.source().begin.line << ':' << error.source().begin.column;
    throw Problem(ExitCode::usage, where.str() + ": " + std::string(error.description()));
  }
  return out;
}

constexpr std::string_view parameter_prefix = "parameters.";

void set(RunOptions& options, const std::string& name, const std::string& text) {
  try {
    set_option(options, name, text);
  } catch (const OptionError& error) {
    throw Problem(ExitCode::usage, error.what());
  }
}

}  // namespace

void RunFlags::add_to(CLI::App& command) {
  command.add_option("--stop", stop_, "end of the run [s], the same as --t-end");
  command.add_option("--begin", begin_, "begin of the run [s], the same as --t-begin");
  command.add_option("--tolerance", tolerance_, "rtol and atol at once");
  command.add_option("--output-interval", interval_,
                     "time between rows [s]; events add rows with both limits");
  command.add_option("--variables", variables_, "variables to keep, separated by commas");
  command.add_option("--options", file_, "option file (TOML): rtol = 1e-8, [events], [parameters]");
  for (const OptionInfo& option : list_options<RunOptions>())
    command
        .add_option_function<std::string>(
            flag_names(option.name),
            [this, name = option.name](const std::string& text) { given_[name] = text; },
            flag_help(option))
        ->group("Options of the run")
        ->take_last();
}

bool RunFlags::was_given(const std::string& option) const { return given_.contains(option); }

std::vector<std::string> RunFlags::parameters() const {
  std::vector<std::string> out;
  for (const auto& [name, value] : option_file(file_))
    if (name.starts_with(parameter_prefix))
      out.push_back(name.substr(parameter_prefix.size()) + "=" + value);
  return out;
}

RunOptions RunFlags::options(const Experiment& experiment) const {
  RunOptions options;
  if (experiment.start_time) options.t_begin = *experiment.start_time;
  if (experiment.stop_time) options.t_end = *experiment.stop_time;
  if (experiment.tolerance) options.rtol = options.atol = *experiment.tolerance;
  if (experiment.interval) {
    options.output.points = OutputPoints::grid;
    options.output.interval = *experiment.interval;
  }
  return this->options(std::move(options));
}

RunOptions RunFlags::options(RunOptions options) const {
  for (const auto& [name, value] : option_file(file_))
    if (!name.starts_with(parameter_prefix)) set(options, name, value);
  if (!tolerance_.empty()) {
    set(options, "rtol", tolerance_);
    set(options, "atol", tolerance_);
  }
  if (!stop_.empty()) set(options, "t_end", stop_);
  if (!begin_.empty()) set(options, "t_begin", begin_);
  if (!variables_.empty()) set(options, "output.variables", variables_);
  if (!interval_.empty()) {
    set(options, "output.points", "grid");
    set(options, "output.interval", interval_);
  }
  // Rows elsewhere than on the grid that the model wishes.
  if (was_given("output.points") && !was_given("output.interval") && interval_.empty())
    options.output.interval = RunOptions{}.output.interval;
  for (const auto& [name, value] : given_) set(options, name, value);
  return options;
}

}  // namespace saltus::app
