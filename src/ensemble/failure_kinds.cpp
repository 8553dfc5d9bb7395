#include <saltus/ensemble/failure_kinds.hpp>

#include <algorithm>
#include <cctype>

namespace saltus {

namespace {

constexpr std::size_t most_kinds = 1000;

std::string without_numbers(std::string_view reason) {
  std::string kind;
  bool in_number = false;
  for (const char c : reason) {
    const bool digit = std::isdigit(static_cast<unsigned char>(c)) != 0;
    if (digit && !in_number) kind += '#';
    in_number = digit || (in_number && (c == '.' || c == 'e' || c == '-' || c == '+'));
    if (!in_number) kind += c;
  }
  return kind;
}

}  // namespace

void FailureKinds::add(std::uint64_t run, std::string_view reason) {
  std::string text = without_numbers(reason);
  if (kinds_.size() >= most_kinds && !kinds_.contains(text)) text = "other reasons";
  FailureKind& kind = kinds_[text];
  if (kind.n_runs == 0 || run < kind.example_run) {
    kind.text = text;
    kind.example = reason;
    kind.example_run = run;
  }
  ++kind.n_runs;
}

std::vector<FailureKind> FailureKinds::list() const {
  std::vector<FailureKind> found;
  for (const auto& [text, kind] : kinds_) found.push_back(kind);
  std::ranges::stable_sort(found, std::ranges::greater(), &FailureKind::n_runs);
  return found;
}

}  // namespace saltus
