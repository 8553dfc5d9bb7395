// Values where the caller is, and a run that is kept in a file.
#include <algorithm>
#include <limits>

#include <saltus/core/error.hpp>
#include <saltus/core/text.hpp>

#include "hybrid/run/controller.hpp"

namespace saltus {

namespace {

std::string text_of(const std::vector<OptionPair>& options) {
  std::vector<std::string> texts;
  for (const OptionPair& option : options) texts.push_back(option.name + " = " + option.given);
  return texts.empty() ? "the default options" : join(texts, ", ");
}

}  // namespace

double Run::Controller::value(const std::string& variable) {
  if (!ground_.recording.is_open())
    throw Error("the run did not begin, so " + quote(variable) + " has no value: see report()");
  const auto& variables = ground_.recording.trajectory().variables();
  const auto found = std::ranges::find(variables, variable, &VariableInfo::name);
  if (found == variables.end()) {
    std::vector<std::string> names;
    for (const VariableInfo& v : variables) names.push_back(v.name);
    const auto near = nearest_name(variable, names);
    throw Error(quote(variable) + " is not a recorded variable" +
                (near ? ", did you mean " + quote(*near) + "?" : ""));
  }
  const auto number = static_cast<std::size_t>(found - variables.begin());
  detail::OutputWriter& writer = ground_.recording.writer();
  const Look look = looks_at();
  Workspace& workspace = asked_.as_running(here_);
  const auto values = writer.recorded_values(*here_->system, workspace, look.t, look.x, look.xdot);
  if (!values || !writer.recorded_flags(*here_->system, workspace)[number])
    return std::numeric_limits<double>::quiet_NaN();
  return (*values)[number];
}

std::string Run::Controller::save() const {
  const Look look = looks_at();
  std::vector<double> state{look.t, here_.t(), static_cast<double>(ground_.ledger.n_steps()),
                            static_cast<double>(ground_.ledger.counts().n_interruptions)};
  for (const auto& part : {look.x, look.xdot, here_.x()})
    state.insert(state.end(), part.begin(), part.end());
  detail::RunHistory history = history_;
  history.state = detail::hash_of(state) + " at t = " + to_text(look.t);
  return history.to_text();
}

void Run::Controller::restore(std::string_view saved) {
  const auto wanted = detail::RunHistory::from_text(saved);
  if (!history_.calls.empty())
    throw Error("a run that has gone on cannot be restored: start another one of this model");
  if (wanted.model != history_.model)
    throw Error("this snapshot is of model " + quote(wanted.model) + ", not of " +
                quote(history_.model));
  const auto same = [](const OptionPair& a, const OptionPair& b) {
    return a.name == b.name && a.given == b.given;
  };
  if (!std::ranges::equal(wanted.options, history_.options, same))
    throw Error("this snapshot is of a run with " + text_of(wanted.options) +
                ", and this run has " + text_of(history_.options));
  for (const detail::RunCall& call : wanted.calls) repeat(call);
  if (detail::RunHistory::from_text(save()).state != wanted.state)
    throw Error(
        "this snapshot leads to another state than the one that was saved: the model is another "
        "one, or the run was not the same for another reason (a limit of time, a function that "
        "does not return the same value again)");
}

void Run::Controller::repeat(const detail::RunCall& call) {
  switch (call.kind) {
    case detail::RunCall::Kind::advance:
      for (std::uint64_t k = 0; k < call.number; ++k) advance();
      return;
    case detail::RunCall::Kind::advance_to:
      advance_to(call.values.front());
      return;
    case detail::RunCall::Kind::set_input:
      set_input(call.input, call.values);
      return;
    case detail::RunCall::Kind::choose:
      choose(call.number);
      return;
  }
}

}  // namespace saltus
