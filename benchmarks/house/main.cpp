// Saved runs, inputs from outside, and options: items 5 to 7 of the topic `house`.
//
//   saltus_bench_house ITEM
//   saltus_bench_house restore FOLDER    goes on with the runs saved there, and writes how each ends (item 5)
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <random>
#include <sstream>
#include <string>

#include <saltus/saltus.hpp>

#include "house/models.hpp"
#include "support/items.hpp"
#include "support/same_bits.hpp"

namespace saltus::house {
namespace {

namespace fs = std::filesystem;

bool print_item(int number, const std::string& figure, const char* bound, bool ok) {
  std::printf("%d: %s (%s) %s\n", number, figure.c_str(), bound, ok ? "ok" : "short");
  return ok;
}

int number_from(const char* variable, int otherwise) {
  const char* const text = std::getenv(variable);
  return text != nullptr ? std::atoi(text) : otherwise;
}

/// A run of one of the models; the model must live as long.
struct Started {
  Model m;
  Run run;
  explicit Started(const NamedRun& named)
      : m(named.model), run(((void)named.write(m), start_run(m, options_of(named)))) {}
};

/// Goes on from time to time, and sets the input at some of them.
void control(Run& run, std::mt19937& random, double t_to, double t_end) {
  std::uniform_real_distribution<double> pause(0.0, 0.03), level(0.8, 1.2);
  while (run.t() < t_to && !run.ended()) {
    if (!run.advance_to(std::min(run.t() + t_end * pause(random), t_to))) break;
    if (random() % 3 == 0) run.set_input("u", level(random));
    if (random() % 5 == 0) run.advance();
  }
}

std::string bits_of(double value) {
  char text[20];
  std::snprintf(text, sizeof text, "%016llx",
                static_cast<unsigned long long>(std::bit_cast<std::uint64_t>(value)));
  return text;
}

/// All of it, in a line.
std::string line_of(Run run) {
  while (run.advance()) {
  }
  const Solution s = run.finish();
  std::string line = std::string(name(s.report.outcome)) + ' ' +
                     std::to_string(s.trajectory.n_rows()) + ' ' +
                     std::to_string(s.events().size());
  std::uint64_t hash = 0xcbf29ce484222325U;
  const auto add = [&](double value) {
    hash = (hash ^ std::bit_cast<std::uint64_t>(value)) * 0x100000001b3U;
  };
  for (std::uint32_t r = 0; r < s.trajectory.n_rows(); ++r) {
    add(s.trajectory.times()[r]);
    for (const double value : s.trajectory.row(r)) add(value);
  }
  for (const Event& event : s.events()) add(event.t);
  return line + ' ' + bits_of(std::bit_cast<double>(hash));
}

// ---- 5: saved runs -------------------------------------------------------------------------------------

constexpr double part_after = 0.1;  // of the run, under control, once it goes on

std::string continued(Run run, unsigned seed, double t_end) {
  std::mt19937 random(seed);
  control(run, random, run.t() + part_after * t_end, t_end);
  return line_of(std::move(run));
}

void restore_all(const fs::path& folder) {
  const auto runs = all_runs();
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() != ".saved") continue;
    unsigned number = 0, seed = 0;
    std::sscanf(entry.path().stem().c_str(), "%u_%u", &number, &seed);
    std::stringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    Started started(runs[number]);
    started.run.restore(text.str());
    std::ofstream(entry.path().string() + ".end")
        << continued(std::move(started.run), seed, runs[number].t_end);
  }
}

bool saved_runs(const char* program) {
  const auto runs = all_runs();
  const int n_instants = number_from("SALTUS_SAVED", 100);
  const fs::path folder =
      fs::temp_directory_path() / ("saltus_house_" + std::to_string(::getpid()));
  fs::create_directories(folder);
  std::map<std::string, std::string> expected;
  std::mt19937 random(5);
  for (unsigned k = 0; k < runs.size(); ++k) {
    for (int i = 0; i < n_instants; ++i) {
      const auto seed = static_cast<unsigned>(random());
      Started started(runs[k]);
      std::mt19937 its(seed);
      const double t_save = runs[k].t_end * std::uniform_real_distribution<double>(0.0, 0.9)(its);
      control(started.run, its, t_save, runs[k].t_end);
      const std::string file = std::to_string(k) + '_' + std::to_string(seed) + ".saved";
      std::ofstream(folder / file) << started.run.save();
      expected[file] = continued(std::move(started.run), seed, runs[k].t_end);
    }
  }
  const bool ran = std::system((std::string(program) + " restore " + folder.string()).c_str()) == 0;
  std::size_t n_same = 0;
  for (const auto& [file, line] : expected) {
    std::string found;
    std::getline(std::ifstream(folder / (file + ".end")), found);
    n_same += found == line ? 1 : 0;
  }
  fs::remove_all(folder);
  const std::size_t n = expected.size();
  return print_item(5,
                    std::to_string(n_same) + " of " + std::to_string(n) + " saved runs of " +
                        std::to_string(runs.size()) + " models go on bit by bit in another process",
                    "all", ran && n > 0 && n_same == n);
}

// ---- 6: inputs from outside ----------------------------------------------------------------------------

bool looks_change_nothing(const NamedRun& named, int n_looks) {
  Started looked(named), undisturbed(named);
  std::mt19937 random(6);
  std::uniform_real_distribution<double> at(0.0, named.t_end);
  std::vector<double> times(static_cast<std::size_t>(n_looks));
  for (double& t : times) t = at(random);
  std::sort(times.begin(), times.end());
  for (const double t : times) {
    if (!looked.run.advance_to(t)) break;
    (void)looked.run.value(looked.run.trajectory().variables().front().name);
    looked.run.set_input("u", 1.0);
  }
  return line_of(std::move(looked.run)) == line_of(std::move(undisturbed.run));
}

/// Against a table of the same steps: events, and the largest difference at the end in tolerances. The error of either
/// against a run of the table with tolerances of 1e-11 says what a difference may be.
struct Compared {
  bool same_events = false, repeatable = false;
  double worst = 0.0, error = 0.0, error_of_table = 0.0;
};
Compared compare_with_table(const NamedRun& named, int n_changes) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> level(0.9, 1.1);
  std::vector<double> times{0.0}, values{1.0};
  for (int k = 1; k <= n_changes; ++k) {
    times.push_back(named.t_end * (k - 0.5) / n_changes);
    values.push_back(level(random));
  }
  const auto controlled = [&] {
    Started started(named);
    for (std::size_t k = 1; k < times.size() && started.run.advance_to(times[k]); ++k)
      started.run.set_input("u", values[k]);
    while (started.run.advance()) {
    }
    return started.run.finish();
  };
  Model m(named.model);
  write_with_table(named, m, times, values);
  const Solution expected = simulate(m, options_of(named)), found = controlled();
  Compared out;
  out.repeatable = test::difference(found, controlled()).empty();
  std::map<std::string, int> names;
  for (const Event& e : expected.events()) ++names[e.name];
  for (const Event& e : found.events()) --names[e.name];
  names.erase("breakpoint of an input");
  out.same_events = found.report.outcome == expected.report.outcome;
  for (const auto& [name, n] : names) out.same_events = out.same_events && n == 0;
  const double tol = options_of(named).rtol;
  RunOptions tight = options_of(named);
  tight.rtol = 1e-11;
  tight.atol = 1e-11;
  if (named.engine == EngineKind::ida) tight.engine = EngineKind::radau;
  const Solution exact = simulate(m, tight);
  for (const VariableInfo& v : expected.trajectory.variables()) {
    const double a = found.final(v.name), b = expected.final(v.name), c = exact.final(v.name);
    out.worst = std::max(out.worst, std::abs(a - b) / (tol * (1.0 + std::abs(b))));
    out.error = std::max(out.error, std::abs(a - c) / (tol * (1.0 + std::abs(c))));
    out.error_of_table =
        std::max(out.error_of_table, std::abs(b - c) / (tol * (1.0 + std::abs(c))));
  }
  return out;
}

bool outside_inputs() {
  const int n_looks = number_from("SALTUS_LOOKS", 1000),
            n_changes = number_from("SALTUS_CHANGES", 50);
  std::string other_bits, other_events, not_repeatable;
  // Of engines whose own errors are larger than ten tolerances: how much larger they are than with a table.
  double worst = 0.0, worst_ratio = 0.0;
  std::string inaccurate;
  int n_all = 0;
  for (const NamedRun& named : all_runs()) {
    if (!looks_change_nothing(named, n_looks)) other_bits += " " + text_of(named);
    const Compared compared = compare_with_table(named, n_changes);
    n_all += n_changes;
    if (!compared.same_events) other_events += " " + text_of(named);
    if (!compared.repeatable) not_repeatable += " " + text_of(named);
    std::fprintf(stderr, "   %s: %.3g tolerances at the end; errors %.3g, with a table %.3g\n",
                 text_of(named).c_str(), compared.worst, compared.error, compared.error_of_table);
    if (compared.error_of_table <= 10.0) {
      worst = std::max(worst, compared.worst);
    } else {
      inaccurate += " " + text_of(named);
      worst_ratio = std::max(worst_ratio, compared.error / compared.error_of_table);
    }
  }
  char text[600];
  std::snprintf(
      text, sizeof text,
      "%d looks in each of %zu runs change bits in:%s; %d changes: other events than with a "
      "table in:%s, values within %.3g tolerances; runs whose error is above ten tolerances with a "
      "table, too:%s, at most %.3g times that error; not repeatable:%s",
      n_looks, all_runs().size(), other_bits.empty() ? " none" : other_bits.c_str(), n_all,
      other_events.empty() ? " none" : other_events.c_str(), worst,
      inaccurate.empty() ? " none" : inaccurate.c_str(), worst_ratio,
      not_repeatable.empty() ? " none" : not_repeatable.c_str());
  const bool ok = other_bits.empty() && other_events.empty() && not_repeatable.empty() &&
                  worst <= 10.0 && worst_ratio <= 2.0;
  return print_item(6, text, "none, none, <= 10, <= 2 times, none", ok);
}

// ---- 7: options ----------------------------------------------------------------------------------------

/// Any values that the list of options admits, and some that it does not.
RunOptions random_options(const NamedRun& named, std::mt19937& random) {
  RunOptions options;
  options.t_end = named.t_end;
  const auto infos = list_options<RunOptions>();
  for (int k = static_cast<int>(random() % 8); k >= 0; --k) {
    const OptionInfo& info = infos[random() % infos.size()];
    static const std::vector<std::string> texts{
        "0",     "1",         "2",         "-1",          "1e-3",        "1e-9",          "1e30",
        "true",  "false",     "radau",     "ida",         "dopri5",      "dop853",        "x=1e-9",
        "u=1",   "up",        "up=radau",  "down=dopri5", "open=dop853", "stop",          "cross",
        "slide", "off",       "automatic", "ranks",       "structure",   "times",         "grid",
        "steps", "0.5, 1",    "keep",      "check",       "impulse",     "least_squares", "all",
        "D",     "x > 0=stop"};
    std::string text = texts[random() % texts.size()];
    if (info.bounds.starts_with("one of ") && random() % 4 != 0) {
      std::vector<std::string> choices;
      std::stringstream list(info.bounds.substr(7));
      for (std::string choice; std::getline(list, choice, ',');)
        choices.push_back(choice.substr(choice.find_first_not_of(' ')));
      text = choices[random() % choices.size()];
    }
    try {
      set_option(options, info.name, text);
    } catch (const OptionError&) {
    }
  }
  options.limits.max_wall_time_s = 0.2;
  return options;
}

bool any_options() {
  const int n = number_from("SALTUS_OPTIONS", 10'000);
  std::uint64_t n_runs = 0, n_refused = 0, n_ended = 0;
  std::string thrown;
  std::vector<NamedRun> runs;
  for (const NamedRun& named : all_runs())
    if (runs.empty() || runs.back().model != named.model) runs.push_back(named);
  for (const NamedRun& named : runs) {
    std::mt19937 random(7);
    for (int k = 0; k < n; ++k) {
      const RunOptions options = random_options(named, random);
      Model m(named.model);
      named.write(m);
      std::optional<Run> run;
      try {
        run.emplace(start_run(m, options));
      } catch (const OptionError&) {
        ++n_refused;
        continue;
      }
      ++n_runs;
      try {
        while (run->advance()) {
        }
        n_ended += run->finish().ok() ? 0 : 1;
      } catch (const std::exception& error) {
        if (thrown.empty()) thrown = named.model + ": " + error.what();
      }
    }
  }
  return print_item(7,
                    std::to_string(n_runs) + " runs with random options on " +
                        std::to_string(runs.size()) + " models (" + std::to_string(n_refused) +
                        " refused before they began, " + std::to_string(n_ended) +
                        " ended with a report): exceptions " +
                        (thrown.empty() ? "none" : "such as " + thrown),
                    "none", thrown.empty() && n_runs > 0);
}

}  // namespace
}  // namespace saltus::house

int main(int argc, char** argv) {
  using namespace saltus::house;
  if (argc == 3 && std::string(argv[1]) == "restore") {
    restore_all(argv[2]);
    return 0;
  }
  static const char* own = argv[0];
  return saltus::bench::show_items(
      argc, argv,
      {nullptr, nullptr, nullptr, nullptr, [](int) { return saved_runs(own); },
       [](int) { return outside_inputs(); }, [](int) { return any_options(); }});
}
