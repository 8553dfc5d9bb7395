#include "system/template/exploration.hpp"

#include <cmath>
#include <deque>
#include <exception>
#include <limits>
#include <unordered_set>
#include <utility>

#include <saltus/core/error.hpp>

#include "system/template/comparison_trouble.hpp"
#include "system/template/formula_texts.hpp"

namespace saltus::detail {

namespace {

/// The numbers that a code is called with, and room for what it writes.
template <class V>
struct ExplorationArguments {
  using T = Tracked<V>;

  ExplorationArguments(std::size_t n, std::size_t n_switches)
      : x(n), xdot(n), f(n), g(n_switches) {}

  void call(const TemplateCode& code, ComparisonReplay& replay, V* differences = nullptr) {
    const TemplateCalls<V>& calls = code.of<V>();
    const ComparisonReplay::Scope scope(replay);
    replay.begin_call(0, differences);
    calls.equations(code.code.get(), t, x, xdot, f);
    replay.end_call();
    if (g.empty()) return;
    replay.begin_call(1, differences);
    calls.switching(code.code.get(), t, x, xdot, g);
    replay.end_call();
  }

  T t;
  std::vector<T> x, xdot, f, g;
};

/// What a user's code throws on a path that no solution may ever take is of no interest.
template <class Call>
void call_on_any_path(const Call& call) {
  try {
    call();
  } catch (const ComparisonTrouble& trouble) {
    throw ModelError("template system", trouble.what());
  } catch (...) {
  }
}

/// Left - right of all comparisons of a path at the start.
template <class V>
std::vector<V> differences_on_path(const TemplateCode& code, const ExplorationStart& start,
                                   const ComparisonTable& table, std::vector<std::uint8_t>& locks) {
  ExplorationArguments<V> arguments(start.x.size(), start.n_switches);
  for (std::size_t i = 0; i < start.x.size(); ++i) arguments.x[i] = start.x[i];
  std::vector<V> differences(table.size(), V(std::numeric_limits<double>::quiet_NaN()));
  ComparisonReplay replay(table, locks, 0);
  replay.begin(ComparisonReplay::Mode::learn);
  call_on_any_path([&] { arguments.call(code, replay, differences.data()); });
  return differences;
}

/// In which order the operands of an expression are evaluated is the compiler's choice, and may differ
/// between kinds of numbers. That is no trouble unless comparisons share their place, as those inside of
/// a function that both operands call: then they would be mistaken for one another.
void refuse_mixed_up(const TemplateCode& code, const ExplorationStart& start,
                     const ComparisonTable& table, std::vector<std::uint8_t>& locks) {
  const auto value = differences_on_path<double>(code, start, table, locks);
  const auto dual = differences_on_path<TemplateDual>(code, start, table, locks);
  const auto interval = differences_on_path<Interval>(code, start, table, locks);
  const SeriesOrder constants(0);
  const auto series = differences_on_path<TemplateSeries>(code, start, table, locks);
  // An interval is as wide as the roundings of the value; a few more bits for functions of libm.
  const auto encloses = [](const Interval& range, double x) {
    const double slack = range.width() + 0x1p-40 * std::fabs(x);
    return range.lo() - slack <= x && x <= range.hi() + slack;
  };
  for (std::uint32_t i = 0; i < table.size(); ++i) {
    if (!std::isfinite(value[i])) continue;
    if (dual[i].value == value[i] && encloses(interval[i], value[i]) &&
        encloses(series[i].c[0], value[i])) {
      continue;
    }
    throw ModelError("comparison at " + text_of(table.place_of(i)),
                     "several operands of one expression make it, in an order that differs between "
                     "kinds of numbers: make them in statements of their own");
  }
}

class Explorer {
 public:
  Explorer(const TemplateCode& code, const ExplorationStart& start)
      : code_(code),
        start_(start),
        values_(start.x.size(), start.n_switches),
        formulas_(start.x.size(), start.n_switches) {
    for (std::size_t i = 0; i < start.x.size(); ++i) values_.x[i] = start.x[i];
    formulas_.t = named(0, "time");
    for (std::size_t i = 0; i < start.x.size(); ++i) {
      formulas_.x[i] = named(2 * i + 1, start.unknowns[i]);
      formulas_.xdot[i] = named(2 * i + 2, "der(" + start.unknowns[i] + ")");
    }
  }

  Exploration result() && {
    run({}, 0);
    found_.truth = paths_.front().locks;
    for (auto& truth : found_.truth) truth = truth == 1 ? 1 : 0;
    turn_each_round();
    turn_combinations_round();
    found_.truth.resize(found_.table.size(), 0);
    for (std::uint32_t i = 0; i < found_.table.size(); ++i) {
      const auto text = texts_.compared.find(i);
      if (text == texts_.compared.end()) continue;
      found_.table.left(i) = text->second.left;
      found_.table.right(i) = text->second.right;
    }
    return std::move(found_);
  }

 private:
  struct Path {
    std::vector<std::uint8_t> locks;
    std::vector<std::uint32_t> met;
    int depth = 0;  // answers turned round on the way here
  };
  struct Turn {
    std::size_t path;
    std::uint32_t number;
  };
  // A loop that ends by a comparison has as many of them as one likes.
  static constexpr int deepest = 256;
  // Comparisons on stored paths: some megabytes.
  static constexpr std::size_t most_stored = 1'000'000;

  Tracked<FormulaHash> named(std::uint64_t number, std::string text) {
    const FormulaHash input = FormulaHash::input(number);
    texts_.name(input, std::move(text));
    return Tracked<FormulaHash>::of(input);
  }

  /// Takes the path with the given answers; new comparisons are to be turned round later.
  void run(std::vector<std::uint8_t> locks, int depth) {
    ++n_runs_;
    const std::uint32_t n_known = found_.table.size();
    ComparisonReplay replay(found_.table, locks);
    replay.begin(ComparisonReplay::Mode::explore);
    call_on_any_path([&] { values_.call(code_, replay); });
    Path path{.locks = {}, .met = {}, .depth = depth};
    for (const ComparisonReplay::Met& met : replay.sequence()) path.met.push_back(met.number);
    const bool is_new = found_.table.size() > n_known;
    if (!visited_.insert(key_of(path.met, locks)).second && !is_new) return;
    if (is_new) {
      refuse_mixed_up(code_, start_, found_.table, locks);
      note_texts_on_path(locks);
    }
    n_stored_ += path.met.size();
    if (!is_new && n_stored_ > most_stored) {
      was_cut_ = true;
      return;
    }
    path.locks = std::move(locks);
    paths_.push_back(std::move(path));
    if (depth >= deepest) {
      was_cut_ = was_cut_ || is_new;
      return;
    }
    for (std::uint32_t number = n_known; number < found_.table.size(); ++number) {
      turns_.push_back({paths_.size() - 1, number});
    }
  }

  void note_texts_on_path(std::vector<std::uint8_t>& locks) {
    ComparisonReplay replay(std::as_const(found_.table), locks, 0);
    replay.begin(ComparisonReplay::Mode::learn);
    replay.texts = &texts_;
    const FormulaHashTexts::Recording recording(texts_);
    call_on_any_path([&] { formulas_.call(code_, replay); });
  }

  static std::uint64_t key_of(std::span<const std::uint32_t> met,
                              std::span<const std::uint8_t> locks) {
    std::uint64_t key = met.size();
    for (const std::uint32_t number : met) key = FormulaHash::mix(key, number, locks[number]);
    return key;
  }

  void turn_round(std::size_t path, std::uint32_t number) {
    std::vector<std::uint8_t> locks = paths_[path].locks;
    locks[number] ^= 1;
    run(std::move(locks), paths_[path].depth + 1);
  }

  void turn_each_round() {
    while (!turns_.empty()) {
      const Turn turn = turns_.front();
      turns_.pop_front();
      turn_round(turn.path, turn.number);
    }
  }

  void turn_combinations_round() {
    for (std::size_t path = 0; path < paths_.size(); ++path) {
      for (std::size_t k = 0; k < paths_[path].met.size(); ++k) {
        if (n_runs_ >= start_.limit) return;
        turn_round(path, paths_[path].met[k]);
        turn_each_round();
      }
    }
    found_.is_complete = !was_cut_;
  }

  const TemplateCode& code_;
  const ExplorationStart& start_;
  ExplorationArguments<double> values_;
  FormulaHashTexts texts_;
  ExplorationArguments<FormulaHash> formulas_;

  Exploration found_;
  std::deque<Path> paths_;
  std::deque<Turn> turns_;
  std::unordered_set<std::uint64_t> visited_;
  int n_runs_ = 0;
  std::size_t n_stored_ = 0;
  bool was_cut_ = false;
};

}  // namespace

Exploration explore(const TemplateCode& code, const ExplorationStart& start) {
  return Explorer(code, start).result();
}

}  // namespace saltus::detail
