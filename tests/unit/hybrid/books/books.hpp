// Books of a run, and who listens to them.
#pragma once

#include <string>
#include <vector>

#include "hybrid/books/ledger.hpp"
#include "hybrid/books/limits.hpp"

namespace saltus::hybrid_test {

using namespace detail;

struct Listener final : Observer {
  std::vector<std::string> said;
  std::vector<Progress> seen;
  bool wants_more = true;
  void message(Severity, std::string_view, std::string_view text) override {
    said.emplace_back(text);
  }
  bool keep_going(const Progress& progress) override {
    seen.push_back(progress);
    return wants_more;
  }
};

struct Books {
  RunOptions options;
  Listener listener;
  Ledger ledger{options, listener};
  Limits limits{options, listener, ledger};
};

inline JournalEntry event_called(const char* name) {
  JournalEntry entry;
  entry.events.resize(1);
  entry.events.front().name = name;
  entry.events.front().kind = EventKind::state;
  return entry;
}

}  // namespace saltus::hybrid_test
