// Comparisons of a template residual: recorded once, answered from locks ever after.
#pragma once

#include <cstdint>
#include <cstring>
#include <source_location>
#include <span>
#include <string>
#include <vector>

namespace saltus::detail {

/// How two numbers were compared, or the function that compares them.
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

/// Where in a user's code.
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

/// Stands between a user's comparisons and their answers, one per workspace. Which comparisons are met
/// depends on the answers alone: the same locks must lead to the same ones. Their order may differ between
/// kinds of numbers, as a compiler may evaluate the operands of an expression in any order.
class ComparisonReplay {
 public:
  enum class Mode : std::uint8_t {
    replay,   // answers from locks, only comparisons of the known sequence
    learn,    // answers from locks, the sequence becomes known
    decide,   // answers from values, which set the locks
    explore,  // answers from locks, of which those that are open are decided by values
  };
  static constexpr std::uint8_t open_lock = 2;

  /// Locks of comparisons begin at `first_lock`.
  ComparisonReplay(const ComparisonTable& table, std::vector<std::uint8_t>& locks,
                   std::uint32_t first_lock);
  /// Can explore: the table and the locks grow by comparisons that were not known.
  ComparisonReplay(ComparisonTable& growing, std::vector<std::uint8_t>& locks);

  /// While it lives, comparisons of this thread are answered by a replay.
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

  /// A new pass. Not replaying: the sequence begins anew. Deciding: all locks of comparisons are false.
  void begin(Mode mode);
  /// The call from which on the next comparisons come, 0: equations, 1: switching functions. `values`
  /// gets left - right of every comparison, by number, if it is not null; its type is that of the
  /// compared numbers.
  void begin_call(int call, void* values);
  /// The call has returned: throws if the sequence says that comparisons are missing.
  void end_call();

  /// The number of the comparison that is met now; throws if it is none that can be met.
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
  /// In order, those of the equations first.
  std::span<const Met> sequence() const { return sequence_; }
  static constexpr std::uint32_t none = 0xffffffffU;
  /// The first comparison that could not be decided because a value was missing, or `none`.
  std::uint32_t undecided() const { return undecided_; }

  /// Texts of what is compared are noted, if not null.
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

/// The name of an operator or function.
const char* text_of(ComparedBy by);
/// "carver.cpp:41"
std::string text_of(const ComparisonPlace& place);

/// For code that compares outside of an evaluation of a system.
[[noreturn]] void refuse_comparison(const ComparisonPlace& place);

void note_texts(FormulaHashTexts& texts, std::uint32_t number, std::uint64_t left,
                std::uint64_t right);

}  // namespace saltus::detail
