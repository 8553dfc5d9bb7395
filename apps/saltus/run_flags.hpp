// Flags of the options of a run. They come from the one list of RunOptions (describe); a few shorter names
// are added that users of other tools look for.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <saltus/hybrid/options.hpp>
#include <saltus/modelica.hpp>

namespace CLI {
class App;
}

namespace saltus::app {

class RunFlags {
 public:
  void add_to(CLI::App& command);
  /// What the model wishes, then the option file, then flags. Throws Problem (usage).
  RunOptions options(const Experiment& experiment) const;
  /// The same from other options than those the model wishes.
  RunOptions options(RunOptions from) const;
  /// From the option file, before those of the command line: "k=3".
  std::vector<std::string> parameters() const;
  bool was_given(const std::string& option) const;
  /// The option file; empty if there is none.
  const std::string& file() const { return file_; }

 private:
  std::map<std::string, std::string> given_;  // by the name of the option
  std::string file_;
  std::string stop_, begin_, interval_, variables_, tolerance_;
};

}  // namespace saltus::app
