#include "sweep_manifest.hpp"

#include <toml++/toml.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include <saltus/core/text.hpp>
#include <saltus/core/version.hpp>
#include <saltus/io/csv.hpp>
#include <saltus/io/result_file.hpp>

#include "program.hpp"

namespace saltus::app {

namespace {

class ManifestReader {
 public:
  explicit ManifestReader(const std::string& path) : path_(path), text_(read_text_file(path)) {
    try {
      root_ = toml::parse(text_, path);
    } catch (const toml::parse_error& error) {
      std::ostringstream where;
      where << path << ':' << error.source().begin.line << ':' << error.source().begin.column;
      throw Problem(ExitCode::usage, where.str() + ": " + std::string(error.description()));
    }
  }

  SweepManifest read() {
    allow(root_, "",
          {"model", "samples", "seed", "sampler", "options", "parameters", "vary", "table",
           "correlation", "keep", "folder"});
    read_.push_back(path_);
    read_model();
    try {
      Design design = read_design();
      Kept kept = read_kept();
      SweepPlan plan{definition_, options_, std::move(design), std::move(kept), identity()};
      if (text_of_model_.has_to_be_read_again(*definition_, plan.design.names())) {
        using Values = std::span<const Named<double>>;
        plan.remake = [text = text_of_model_](Values values) { return text.model(values); };
        if (!where_.empty())
          plan.remake_where = [text = text_of_model_, where = where_](Values values) {
            return text.measures(where, values);
          };
      }
      std::string model_text = text_of_model_.text;
      return {std::move(plan),       folder(),        model_, std::move(text_of_model_), text_,
              std::move(model_text), std::move(read_)};
    } catch (const OptionError& error) {
      throw Problem(ExitCode::usage, path_ + ": " + error.what());
    }
  }

 private:
  [[noreturn]] void refuse(const toml::node& at, const std::string& why) const {
    throw Problem(ExitCode::usage,
                  path_ + ":" + std::to_string(at.source().begin.line) + ": " + why);
  }

  void allow(const toml::table& table, const std::string& prefix,
             const std::vector<std::string>& known) const {
    for (const auto& [key, node] : table) {
      const std::string name(key.str());
      if (std::find(known.begin(), known.end(), name) != known.end()) continue;
      const auto near = nearest_name(name, known);
      refuse(node, "there is no '" + prefix + name + "'" +
                       (near ? "; did you mean '" + prefix + std::string(*near) + "'?"
                             : "; known are " + join(known, ", ")));
    }
  }

  double number(const toml::node& node, const std::string& what) const {
    if (const auto v = node.value<double>()) return *v;
    refuse(node, what + " has to be a number");
  }
  std::string word(const toml::node& node, const std::string& what) const {
    if (const auto v = node.value_exact<std::string>()) return *v;
    refuse(node, what + " has to be a text");
  }
  std::vector<double> numbers(const toml::node& node, const std::string& what) const {
    std::vector<double> found;
    if (const toml::array* list = node.as_array())
      for (const toml::node& one : *list) found.push_back(number(one, "every entry of " + what));
    else
      refuse(node, what + " has to be a list of numbers");
    return found;
  }
  /// A list of texts, or one alone.
  std::vector<std::string> words(const toml::node& node, const std::string& what) const {
    std::vector<std::string> found;
    if (const toml::array* list = node.as_array())
      for (const toml::node& one : *list) found.push_back(word(one, "every entry"));
    else
      found.push_back(word(node, what));
    return found;
  }
  std::vector<std::string> words(const toml::table& table, const char* key) const {
    const toml::node* node = table.get(key);
    if (node == nullptr) return {};
    return words(*node, std::string("keep.") + key);
  }
  const toml::table& table_of(const toml::node& node, const std::string& what) const {
    if (const toml::table* table = node.as_table()) return *table;
    refuse(node, what + " has to be a table");
  }
  std::filesystem::path beside(const std::string& name) const {
    return std::filesystem::path(path_).parent_path() / name;
  }

  void read_model() {
    const toml::node* node = root_.get("model");
    if (node == nullptr)
      throw Problem(ExitCode::usage, path_ + ": 'model' is missing: model = \"file.mo\"");
    model_.path = beside(word(*node, "'model'")).string();
    text_of_model_.text = read_text_file(model_.path);
    text_of_model_.file_name = model_.path;
    read_.push_back(model_.path);
    auto& fixed_values = text_of_model_.parameters;
    if (const toml::node* fixed = root_.get("parameters"))
      for (const auto& [key, value] : table_of(*fixed, "'parameters'"))
        fixed_values.emplace_back(std::string(key.str()), number(value, std::string(key.str())));
    for (const auto& [name, value] : fixed_values)
      model_.parameters.push_back(name + "=" + to_text(value));
    const ReadModel model = load_model(model_);
    definition_ = model.model->build();
    for (const ReadParameter& p : model.parameters)
      if (p.can_be_set) text_of_model_.settable.push_back(p.name);
    const Experiment& experiment = model.experiment;
    if (experiment.start_time) options_.t_begin = *experiment.start_time;
    if (experiment.stop_time) options_.t_end = *experiment.stop_time;
    if (experiment.tolerance) options_.rtol = options_.atol = *experiment.tolerance;
    if (const toml::node* given = root_.get("options"))
      set_options(table_of(*given, "'options'"), "");
  }

  void set_options(const toml::table& table, const std::string& prefix) {
    for (const auto& [key, node] : table) {
      const std::string name = prefix + std::string(key.str());
      if (const toml::table* inner = node.as_table()) {
        set_options(*inner, name + ".");
        continue;
      }
      std::string text;
      if (const auto s = node.value_exact<std::string>())
        text = *s;
      else if (const auto b = node.value_exact<bool>())
        text = to_text(*b);
      else if (const auto i = node.value_exact<std::int64_t>())
        text = to_text(*i);
      else
        text = to_text(number(node, "'" + name + "'"));
      try {
        set_option(options_, name, text);
      } catch (const OptionError& error) {
        refuse(node, error.what());
      }
    }
  }

  Design read_design() {
    std::vector<Table> tables;
    Samples samples;
    if (const toml::node* node = root_.get("vary")) {
      const toml::table& all = table_of(*node, "'vary'");
      for (const auto& [name, one] : in_order(all)) {
        if (std::ranges::any_of(text_of_model_.parameters,
                                [&](const auto& f) { return f.first == name; }))
          refuse(*one,
                 "'" + name + "' is among 'parameters' too: remove it there, or do not vary it");
        add_axis(name, *one, tables, samples.of);
      }
    }
    if (const toml::node* node = root_.get("table"))
      tables.push_back(read_table(beside(word(*node, "'table'")).string()));
    if (samples.of.empty()) {
      for (const char* key : {"samples", "seed", "sampler", "correlation"})
        if (const toml::node* node = root_.get(key))
          refuse(*node, std::string("'") + key +
                            "' is for quantities with a distribution, but the manifest has none");
      return Design(std::move(tables));
    }
    const toml::node* count = root_.get("samples");
    if (count == nullptr)
      throw Problem(ExitCode::usage, path_ +
                                         ": 'samples' is missing: it says how many values of '" +
                                         samples.of.front().name + "' are drawn");
    samples.count = whole(*count, "'samples'");
    if (const toml::node* seed = root_.get("seed")) samples.seed = whole(*seed, "'seed'");
    if (const toml::node* sampler = root_.get("sampler")) samples.sampler = read_sampler(*sampler);
    read_correlation(samples);
    return Design(std::move(tables), std::move(samples));
  }

  /// As they stand in the file; tables of toml++ are sorted by name.
  static std::vector<std::pair<std::string, const toml::node*>> in_order(const toml::table& table) {
    std::vector<std::pair<std::string, const toml::node*>> entries;
    for (const auto& [key, node] : table) entries.emplace_back(std::string(key.str()), &node);
    const auto place = [](const auto& entry) {
      const auto at = entry.second->source().begin;
      return std::pair(at.line, at.column);
    };
    std::ranges::stable_sort(entries, {}, place);
    return entries;
  }

  std::uint64_t whole(const toml::node& node, const std::string& what) const {
    const auto v = node.value<double>();
    if (!v || !(*v >= 0) || *v != std::floor(*v) || *v > 9e15)
      refuse(node, what + " has to be a whole number");
    return static_cast<std::uint64_t>(*v);
  }

  Sampler read_sampler(const toml::node& node) const {
    const std::string name = word(node, "'sampler'");
    if (name == "random") return Sampler::random;
    if (name == "latin-hypercube") return Sampler::latin_hypercube;
    if (name == "sobol") return Sampler::sobol;
    refuse(node, "there is no sampler '" + name + "'; known are random, latin-hypercube, sobol");
  }

  void add_axis(const std::string& name, const toml::node& node, std::vector<Table>& tables,
                std::vector<Distribution>& sampled) const {
    const toml::table& axis = table_of(node, "'vary." + name + "'");
    allow(axis, "vary." + name + ".", {"values", "grid", "uniform", "log_uniform", "normal"});
    if (axis.size() != 1)
      refuse(node, "'vary." + name + "' needs one of values, grid, uniform, log_uniform, normal");
    // A pair lives as long as its iterator.
    const auto only = axis.begin();
    const std::string kind((*only).first.str());
    const toml::node& value = (*only).second;
    const std::vector<double> given = numbers(value, "'" + kind + "'");
    if (kind == "values") {
      Table table{{name}, {}};
      for (const double v : given) table.rows.push_back({v});
      tables.push_back(std::move(table));
    } else if (kind == "grid") {
      if (given.size() != 3 || !(given[2] >= 2) || given[2] != std::floor(given[2]))
        refuse(value,
               "a grid needs the first value, the last value and the number of values, at least 2");
      Table table{{name}, {}};
      for (double i = 0; i < given[2]; ++i)
        table.rows.push_back({given[0] + (given[1] - given[0]) * (i / (given[2] - 1))});
      tables.push_back(std::move(table));
    } else {
      if (given.size() != 2)
        refuse(value, kind == "normal"
                          ? "a normal distribution needs a mean and a standard deviation"
                          : "give a lower and an upper bound");
      sampled.push_back({name,
                         kind == "normal"    ? DistributionKind::normal
                         : kind == "uniform" ? DistributionKind::uniform
                                             : DistributionKind::log_uniform,
                         given[0], given[1]});
    }
  }

  Table read_table(const std::string& file) {
    text_of_table_ = read_text_file(file);
    read_.push_back(file);
    try {
      NumberTable read = read_numbers_csv(text_of_table_, file);
      return {std::move(read.names), std::move(read.rows)};
    } catch (const FileError& error) {
      throw Problem(ExitCode::usage, error.what());
    }
  }

  /// "a, b" = 0.5
  void read_correlation(Samples& samples) const {
    const toml::node* node = root_.get("correlation");
    if (node == nullptr) return;
    const auto n = static_cast<std::uint32_t>(samples.of.size());
    samples.correlation = Matrix(n, n);
    for (std::uint32_t i = 0; i < n; ++i) samples.correlation(i, i) = 1.0;
    const auto place = [&](const toml::node& at, std::string name) -> std::size_t {
      while (name.starts_with(" ")) name.erase(0, 1);
      while (name.ends_with(" ")) name.pop_back();
      for (std::size_t i = 0; i < n; ++i)
        if (samples.of[i].name == name) return i;
      refuse(at, "'" + name + "' has no distribution");
    };
    for (const auto& [key, value] : table_of(*node, "'correlation'")) {
      const std::string pair(key.str());
      const auto comma = pair.find(',');
      if (comma == std::string::npos) refuse(value, "a correlation is written \"a, b\" = 0.5");
      const std::size_t i = place(value, pair.substr(0, comma)),
                        j = place(value, pair.substr(comma + 1));
      samples.correlation(i, j) = samples.correlation(j, i) = number(value, "a correlation");
    }
  }

  void check_slope(const toml::node& at, const std::string& parameter) const {
    std::vector<std::string> known;
    for (const Variable& v : definition_->variables())
      if (v.kind == InputKind::parameter || v.kind == InputKind::state) known.push_back(v.name);
    if (std::ranges::count(known, parameter.substr(0, parameter.find('['))) > 0 ||
        std::ranges::count(known, parameter) > 0)
      return;
    const auto near = nearest_name(parameter, known);
    refuse(at, "there is no parameter and no state '" + parameter + "'" +
                   (near ? "; did you mean '" + std::string(*near) + "'?" : ""));
  }

  /// peak = "max(x1 - x2)"
  std::vector<Measure> read_where(const toml::table& table) {
    std::vector<std::pair<std::string, const toml::node*>> nodes;
    for (const auto& [key, text] : table) nodes.emplace_back(key.str(), &text);
    // In the order of the text.
    std::ranges::sort(nodes, {}, [](const auto& n) {
      const toml::source_position& at = n.second->source().begin;
      return std::pair(at.line, at.column);
    });
    for (const auto& [name, text] : nodes)
      where_.push_back({name, word(*text, "'keep.where." + name + "'")});
    ReadMeasures read =
        read_measures(where_, text_of_model_.text, model_.path, text_of_model_.options());
    for (const Diagnostic& d : read.diagnostics) {
      for (std::size_t k = 0; k < nodes.size(); ++k) {
        if (where_[k].name != d.file) continue;
        // What was written, and a mark below.
        const std::string shown = to_text(d);
        refuse(*nodes[k].second,
               "'keep.where." + d.file + "': " + d.message +
                   shown.substr(shown.find('\n'), shown.size() - shown.find('\n') - 1));
      }
    }
    if (!read.ok()) throw Problem(ExitCode::bad_model, to_text(read.diagnostics));
    return std::move(read.measures);
  }

  Kept read_kept() {
    Kept kept;
    const toml::node* node = root_.get("keep");
    if (node == nullptr)
      throw Problem(ExitCode::usage, path_ +
                                         ": 'keep' is missing: name the values to keep of each "
                                         "run, as in [keep] with end = [\"x\"]");
    const toml::table& table = table_of(*node, "'keep'");
    allow(table, "keep.", {"end", "at", "count", "first", "last", "slope", "where"});
    kept.end = words(table, "end");
    kept.counts = words(table, "count");
    kept.first = words(table, "first");
    kept.last = words(table, "last");
    if (const toml::node* at = table.get("at")) {
      for (const auto& [key, times] : table_of(*at, "'keep.at'"))
        for (const double t : numbers(times, "'keep.at." + std::string(key.str()) + "'"))
          kept.at.push_back({std::string(key.str()), t});
    }
    if (const toml::node* slope = table.get("slope")) {
      const toml::table& slopes = table_of(*slope, "'keep.slope'");
      for (const auto& [variable, of] : slopes)
        for (const std::string& parameter : words(of, "'keep.slope'")) {
          check_slope(of, parameter);
          kept.slopes.push_back({std::string(variable.str()), parameter});
        }
      for (const Kept::Slope& s : kept.slopes)
        if (std::ranges::count(options_.sensitivities, s.parameter) == 0)
          options_.sensitivities.push_back(s.parameter);
    }
    if (const toml::node* where = table.get("where"))
      kept.where = read_where(table_of(*where, "'keep.where'"));
    if (kept.columns().empty())
      refuse(*node,
             "'keep' names nothing: name the values to keep of each run, as in [keep] with end = "
             "[\"x\"]");
    return kept;
  }

  std::filesystem::path folder() const {
    if (const toml::node* node = root_.get("folder")) return beside(word(*node, "'folder'"));
    return std::filesystem::path(path_).replace_extension(".sweep");
  }

  /// Everything that a run depends on. Of how long it may take the machine decides: with more time the sweep goes on.
  std::string identity() const {
    toml::table root = root_;
    if (toml::table* const options = root["options"].as_table()) {
      if (toml::table* const limits = (*options)["limits"].as_table()) {
        limits->erase("max_wall_time_s");
        if (limits->empty()) options->erase("limits");
      }
      if (options->empty()) root.erase("options");
    }
    std::ostringstream without_comments;
    without_comments << root;
    return std::string(library_version()) + "\n" + without_comments.str() + "\n" +
           text_of_model_.text + "\n" + text_of_table_;
  }

  std::string path_, text_, text_of_table_;
  std::vector<std::string> read_;  // files
  ModelFile model_;
  ModelText text_of_model_;
  std::vector<MeasureText> where_;
  toml::table root_;
  std::shared_ptr<const ModelDefinition> definition_;
  RunOptions options_;
};

}  // namespace

ModelFile SweepManifest::model_of(std::uint64_t run) const {
  ModelFile one = model;
  const std::vector<double> values = plan.design.values(run);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::string& name = plan.design.names()[i];
    (source.sets(name) ? one.parameters : one.starts).push_back(name + "=" + to_text(values[i]));
  }
  return one;
}

SweepManifest read_manifest(const std::string& path) { return ManifestReader(path).read(); }

}  // namespace saltus::app
