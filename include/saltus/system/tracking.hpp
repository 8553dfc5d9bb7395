// Records the comparisons of a template residual once, and then answers them from locks.
#pragma once

#include <cstdint>
#include <cstring>
#include <source_location>
#include <span>
#include <string>
#include <vector>

namespace saltus::detail {

/// Says how two numbers were compared, or by which function.
enum class ComparedBy : std::uint8_t {
  less,
  less_equal,
  greater,
  greater_equal,
  abs,   // x >= 0
  sign,  // x > 0
  min,   // left < right
  max,   // left > right
};

/// A place in a user's code.
struct ComparisonPlace {
  const char* file = "";
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  ComparedBy by = ComparedBy::less;

  ComparisonPlace() = default;
  ComparisonPlace(ComparedBy how, const std::source_location& where)
      : file(where.file_name()), line(where.line()), column(where.column()), by(how) {}

  friend bool operator==(const ComparisonPlace& a, const ComparisonPlace& b) {
    return a.line == b.line && a.column == b.column && a.by == b.by &&
           (a.file == b.file || std::strcmp(a.file, b.file) == 0);
  }
};

class ComparisonTable;
class FormulaHashTexts;

/// Stands between a user's comparisons and their answers, one per workspace. The comparisons that
/// occur depend on the answers alone: the same locks must lead to the same ones. Their order may
/// differ between kinds of numbers, as a compiler may evaluate the operands of an expression in any
/// order.
class ComparisonReplay {
 public:
  enum class Mode : std::uint8_t {
    replay,   // answers from locks, only comparisons of the known sequence
    learn,    // answers from locks, the sequence becomes known
    decide,   // answers from values, which set the locks
    explore,  // answers from locks; values decide those that are open
  };
  static constexpr std::uint8_t open_lock = 2;

  /// Replays comparisons whose locks begin at `first_lock`.
  ComparisonReplay(const ComparisonTable& table, std::vector<std::uint8_t>& locks,
                   std::uint32_t first_lock);
  /// Can explore: the table and the locks grow by new comparisons.
  ComparisonReplay(ComparisonTable& growing, std::vector<std::uint8_t>& locks);

  /// Makes a replay answer the comparisons of this thread while the scope lives.
  class Scope {
   public:
    explicit Scope(ComparisonReplay& replay) : before_(current_) { current_ = &replay; }
    ~Scope() { current_ = before_; }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    ComparisonReplay* before_;
  };
  static ComparisonReplay* current() { return current_; }

  /// Begins a new pass. Unless replaying, the sequence begins anew. When deciding, all locks of
  /// comparisons are set to false.
  void begin(Mode mode);
  /// Begins a call whose comparisons come next, 0: equations, 1: switching functions. `values`
  /// receives left - right of every comparison, by number, if it is not null; its type is that of
  /// the compared numbers.
  void begin_call(int call, void* values);
  /// Ends the call; throws if comparisons of the sequence are missing.
  void end_call();

  /// Returns the number of the comparison that is met now; throws if it cannot occur here.
  std::uint32_t meet(const ComparisonPlace& place) {
    if (mode_ != Mode::replay) return look_up(place);
    if (in_order_ && position_ < end_ && sequence_[position_].place == place) {
      return sequence_[position_++].number;
    }
    return out_of_order(place);
  }
  bool decides(std::uint32_t number) const {
    return mode_ == Mode::decide ||
           (mode_ == Mode::explore && locks_[first_lock_ + number] == open_lock);
  }
  void decide(std::uint32_t number, double left_minus_right);
  bool truth(std::uint32_t number) const { return locks_[first_lock_ + number] != 0; }
  void* values() const { return values_; }

  struct Met {
    ComparisonPlace place;
    std::uint32_t number;
  };
  /// Returns the comparisons in order, those of the equations first.
  std::span<const Met> sequence() const { return sequence_; }
  static constexpr std::uint32_t none = 0xffffffffU;
  /// Returns the first comparison that could not be decided because a value was missing, or `none`.
  std::uint32_t undecided() const { return undecided_; }

  /// Receives the texts of the compared formulas, if not null.
  FormulaHashTexts* texts = nullptr;

 private:
  std::uint32_t look_up(const ComparisonPlace& place);
  std::uint32_t out_of_order(const ComparisonPlace& place);
  [[noreturn]] void changed(const ComparisonPlace& place) const;

  static constinit inline thread_local ComparisonReplay* current_ = nullptr;

  const ComparisonTable& table_;
  ComparisonTable* growing_ = nullptr;
  std::vector<std::uint8_t>& locks_;
  std::uint32_t first_lock_;
  Mode mode_ = Mode::learn;
  int call_ = 0;
  void* values_ = nullptr;
  std::vector<Met> sequence_;
  std::size_t call_start_[3] = {0, 0, 0};
  std::size_t position_ = 0;
  std::size_t end_ = 0;
  bool in_order_ = true;
  std::vector<std::uint32_t> occurrences_;  // per place, in this pass
  ComparisonPlace last_place_;              // of the last look-up: loops stay in one place
  std::uint32_t last_site_ = none;
  std::vector<std::uint8_t> is_due_;  // per comparison: in the known sequence of this call
  std::uint32_t undecided_ = none;
};

/// Returns the name of an operator or function.
const char* text_of(ComparedBy by);
/// Returns "carver.cpp:41".
std::string text_of(const ComparisonPlace& place);

/// Throws for code that compares outside of an evaluation of a system.
[[noreturn]] void refuse_comparison(const ComparisonPlace& place);

void note_texts(FormulaHashTexts& texts, std::uint32_t number, std::uint64_t left,
                std::uint64_t right);

}  // namespace saltus::detail
