// Sweeps: what is to be done, and what came out.
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <optional>

#include <saltus/core/error.hpp>
#include <saltus/core/version.hpp>
#include <saltus/modelica/model_text.hpp>

#include "model_identity.hpp"
#include "option_values.hpp"
#include "runs.hpp"
#include "sweeps.hpp"

namespace saltus::python {

namespace {

using Names = std::vector<std::string>;
using Tables = std::vector<std::pair<Names, std::vector<std::vector<double>>>>;
/// (count, seed, sampler, (name, kind, a, b) of each, rows of the correlation or nothing)
using GivenSamples = std::tuple<std::uint64_t, std::uint64_t, std::string,
                                std::vector<std::tuple<std::string, std::string, double, double>>,
                                std::vector<std::vector<double>>>;

// ---- a plan -----------------------------------------------------------------------------------------

Samples samples_of(const GivenSamples& given) {
  const auto& [count, seed, sampler, distributions, correlation] = given;
  Samples samples{count,
                  seed,
                  sampler == "sobol"             ? Sampler::sobol
                  : sampler == "latin-hypercube" ? Sampler::latin_hypercube
                                                 : Sampler::random,
                  {}};
  for (const auto& [name, kind, a, b] : distributions)
    samples.of.push_back({name,
                          kind == "normal"        ? DistributionKind::normal
                          : kind == "log_uniform" ? DistributionKind::log_uniform
                                                  : DistributionKind::uniform,
                          a, b});
  const auto n = static_cast<std::uint32_t>(correlation.size());
  if (n > 0) samples.correlation = Matrix(n, n);
  for (std::uint32_t i = 0; i < n; ++i)
    for (std::uint32_t j = 0; j < n; ++j) samples.correlation(i, j) = correlation[i][j];
  return samples;
}

Design design_of(const Tables& given, const std::optional<GivenSamples>& samples) {
  std::vector<Table> tables;
  for (const auto& [names, rows] : given) tables.push_back({names, rows});
  if (!samples) return Design(std::move(tables));
  return Design(std::move(tables), samples_of(*samples));
}

Kept kept_of(const py::dict& given) {
  Kept kept;
  kept.end = given["end"].cast<Names>();
  for (const auto& [variable, t] : given["at"].cast<Values>()) kept.at.push_back({variable, t});
  kept.counts = given["count"].cast<Names>();
  kept.first = given["first"].cast<Names>();
  kept.last = given["last"].cast<Names>();
  for (const auto& [variable, parameter] :
       given["slope"].cast<std::vector<std::pair<std::string, std::string>>>())
    kept.slopes.push_back({variable, parameter});
  return kept;
}

using MeasureTexts = std::vector<MeasureText>;

MeasureTexts where_of(const py::dict& given) {
  MeasureTexts texts;
  for (const auto& [name, text] :
       given["where"].cast<std::vector<std::pair<std::string, std::string>>>())
    texts.push_back({name, text});
  return texts;
}

std::vector<Measure> measures_of(const MeasureTexts& texts, const ModelDefinition& model,
                                 const std::optional<ModelText>& text) {
  ReadMeasures read = text ? read_measures(texts, text->text, text->file_name, text->options())
                           : read_measures(texts, model);
  if (!read.ok()) throw ModelError("keep: " + to_text(read.diagnostics));
  return std::move(read.measures);
}

std::shared_ptr<PlannedSweep> make_plan(
    ModelBuilder& model, const std::optional<std::tuple<std::string, std::string, Names>>& source,
    const py::dict& options, const Tables& tables, const std::optional<GivenSamples>& samples,
    const py::dict& kept, const std::string& identity) {
  SweepPlan plan{model.built(), options_of<RunOptions>(options), design_of(tables, samples),
                 kept_of(kept), std::string(library_version()) + "\n" + identity + "\n"};
  // How long a run may take is no property of its result: with more time the sweep goes on.
  for (const OptionPair& option : compare_options(plan.options))
    if (option.name != "limits.max_wall_time_s")
      plan.identity += option.name + " = " + option.given + "\n";
  plan.identity += identity_of(*plan.model);
  std::optional<ModelText> text;
  if (source) text = ModelText{std::get<0>(*source), std::get<1>(*source), std::get<2>(*source)};
  const MeasureTexts where = where_of(kept);
  if (!where.empty()) plan.kept.where = measures_of(where, *plan.model, text);
  if (text) {
    using NamedValues = std::span<const Named<double>>;
    plan.identity += text->text;
    if (text->has_to_be_read_again(*plan.model, plan.design.names())) {
      plan.remake = [text = *text](NamedValues values) { return text.model(values); };
      if (!where.empty())
        plan.remake_where = [text = *text, where](NamedValues values) {
          return text.measures(where, values);
        };
    }
  }
  return std::make_shared<PlannedSweep>(std::move(plan));
}

// ---- what came out ----------------------------------------------------------------------------------

/// A row per run, the values that were varied.
py::array_t<double> values_of(const Design& design) {
  const std::size_t n = design.n_runs(), n_names = design.names().size();
  py::array_t<double> out({n, n_names});
  const std::span<double> all(out.mutable_data(), n * n_names);
  const py::gil_scoped_release unlocked;
  for (std::size_t run = 0; run < n; ++run) design.values(run, all.subspan(run * n_names, n_names));
  return out;
}

/// (a row per run, NaN where there is nothing; which runs are known; failures; segments that are not all good)
py::tuple read_journal(const PlannedSweep& sweep, const std::string& folder) {
  std::optional<SweepTable> table;
  {
    const py::gil_scoped_release unlocked;
    table.emplace(sweep.plan(), folder);
  }
  const std::size_t n = table->n_runs(), n_columns = sweep.plan().kept.columns().size();
  py::array_t<double> values({n, n_columns});
  py::array_t<bool> known(static_cast<py::ssize_t>(n));
  for (std::size_t run = 0; run < n; ++run) {
    known.mutable_data()[run] = table->is_known(run);
    double* row = values.mutable_data() + run * n_columns;
    if (const auto found = table->row(run); !found.empty())
      std::ranges::copy(found, row);
    else
      std::fill_n(row, n_columns, absent);
  }
  py::dict failures;
  for (const FailedRun& failed : table->failures()) failures[py::int_(failed.run)] = failed.reason;
  Names broken;
  for (const SegmentReport& s : table->broken())
    broken.push_back(s.path.string() + " " + s.problem);
  return py::make_tuple(values, known, failures, broken);
}

Names copy_of(std::span<const std::string> names) { return {names.begin(), names.end()}; }

}  // namespace

void add_sweeps(py::module_& m) {
  py::class_<PlannedSweep, std::shared_ptr<PlannedSweep>>(m, "SweepPlan")
      .def(py::init(&make_plan))
      .def("fingerprint", [](const PlannedSweep& s) { return s.plan().fingerprint(); })
      .def("n_runs", [](const PlannedSweep& s) { return s.plan().design.n_runs(); })
      .def("names", [](const PlannedSweep& s) { return copy_of(s.plan().design.names()); })
      .def("columns", [](const PlannedSweep& s) { return s.plan().kept.columns(); })
      .def("varied", [](const PlannedSweep& s) { return values_of(s.plan().design); })
      .def("read", read_journal);
  m.def("design_values", [](const Tables& tables, const std::optional<GivenSamples>& samples) {
    return values_of(design_of(tables, samples));
  });
  add_sweep_workers(m);
}

}  // namespace saltus::python
