// Hashes everything that a run says, and appends a line per run to the file that SALTUS_RUN_HASHES names: model, outcome,
// steps, hash. Two builds that give the same lines have computed the same, bit by bit. Wall times are left out.
#include <fcntl.h>
#include <unistd.h>

#include <bit>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>

#include <saltus/io/json.hpp>

#include "hybrid/run/run_recorder.hpp"

namespace saltus::detail {
namespace {

/// FNV-1a
class Hash {
 public:
  void add(std::string_view text) {
    add(static_cast<std::uint64_t>(text.size()));
    for (const char c : text) byte(static_cast<unsigned char>(c));
  }
  void add(std::uint64_t number) {
    for (int k = 0; k < 8; ++k) byte(static_cast<unsigned char>(number >> (8 * k)));
  }
  void add(double number) { add(std::bit_cast<std::uint64_t>(number)); }
  void add(std::span<const double> numbers) {
    add(static_cast<std::uint64_t>(numbers.size()));
    for (const double number : numbers) add(number);
  }
  void add(const FollowedPoint& at) {
    add(at.t);
    add(at.x);
    add(at.xdot);
  }
  void add(const StepPolynomial& step) {
    add(step.t_left);
    add(step.t_right);
    add(static_cast<std::uint64_t>(step.degree));
    add(step.coefficients);
  }
  std::uint64_t value() const { return value_; }

 private:
  void byte(unsigned char b) { value_ = (value_ ^ b) * 0x100000001b3; }
  std::uint64_t value_ = 0xcbf29ce484222325;
};

class HashedObserver final : public Observer {
 public:
  HashedObserver(Observer& to, Hash& hash) : to_(to), hash_(hash) {}
  void message(Severity severity, std::string_view topic, std::string_view text) override {
    hash_.add(static_cast<std::uint64_t>(severity));
    hash_.add(topic);
    hash_.add(text);
    to_.message(severity, topic, text);
  }
  bool keep_going(const Progress& progress) override { return to_.keep_going(progress); }

 private:
  Observer& to_;
  Hash& hash_;
};

class HashedFollower final : public RunFollower {
 public:
  HashedFollower(RunFollower* to, Hash& hash) : to_(to), hash_(hash) {}
  bool is_wanted() const { return to_ != nullptr; }

  void begins(const FollowedPoint& at, const FoundStart& start) override {
    called("begins", at);
    hash_.add(std::uint64_t{start.is_as_stated});
    to_->begins(at, start);
  }
  void goes_on(const FollowedPoint& from, const std::string& segment) override {
    called("goes on", from);
    hash_.add(segment);
    to_->goes_on(from, segment);
  }
  void piece(const System& system, Workspace& workspace, const StepPolynomial& piece) override {
    hash_.add("piece");
    hash_.add(piece);
    to_->piece(system, workspace, piece);
  }
  void catch_up() override {
    hash_.add("catch up");
    to_->catch_up();
  }
  void hardly_misses(std::uint32_t which, double t) override {
    hash_.add("hardly misses");
    hash_.add(std::uint64_t{which});
    hash_.add(t);
    to_->hardly_misses(which, t);
  }
  void meets(const FollowedPoint& left, std::span<const FollowedCrossing> crossings,
             const std::function<bool(std::uint32_t which)>& matters) override {
    called("meets", left);
    for (const FollowedCrossing& c : crossings) {
      hash_.add(std::uint64_t{c.which} * 16 + static_cast<std::uint64_t>(c.guarantee) * 4 +
                (c.only_flips ? 2U : 0U) + (c.matters_first ? 1U : 0U));
      hash_.add(c.waited_since.value_or(-1.0));
    }
    to_->meets(left, crossings, matters);
  }
  void acts(EventActions& actions, std::span<const FollowedAction> together, double t,
            std::span<const double> x, std::span<const double> xdot) override {
    hash_.add("acts");
    hash_.add(t);
    hash_.add(x);
    hash_.add(xdot);
    for (const FollowedAction& action : together) {
      hash_.add(std::uint64_t{action.action});
      for (const std::uint8_t sets : action.sets) hash_.add(std::uint64_t{sets});
    }
    to_->acts(actions, together, t, x, xdot);
  }
  void settles(const FollowedPoint& now) override {
    called("settles", now);
    to_->settles(now);
  }
  void changes_mode(const FollowedPoint& to, const MovedStart& moved) override {
    called("changes mode", to);
    to_->changes_mode(to, moved);
  }
  void keeps_to(const FollowedPoint& at, std::span<const KeptSurface> surfaces,
                bool by_itself) override {
    called("keeps to", at);
    for (const KeptSurface& surface : surfaces) {
      hash_.add(std::uint64_t{surface.which});
      hash_.add(surface.across);
      hash_.add(surface.rates);
    }
    hash_.add(std::uint64_t{by_itself});
    to_->keeps_to(at, surfaces, by_itself);
  }
  void stands_on(const FollowedPoint& at, std::uint32_t which,
                 const std::function<bool()>& matters) override {
    called("stands on", at);
    hash_.add(std::uint64_t{which});
    to_->stands_on(at, which, matters);
  }
  void breaks(double t, const std::string& why) override {
    hash_.add("breaks");
    hash_.add(t);
    hash_.add(why);
    to_->breaks(t, why);
  }

 private:
  void called(const char* what, const FollowedPoint& at) {
    hash_.add(what);
    hash_.add(at);
  }
  RunFollower* to_;
  Hash& hash_;
};

void add_solution(Hash& hash, const Solution& solution) {
  Solution without_times = solution;
  without_times.report.wall_time_s = 0.0;
  hash.add(to_json(without_times));
  const Trajectory& trajectory = solution.trajectory;
  for (std::uint32_t k = 0; k < trajectory.n_steps(); ++k) hash.add(trajectory.step(k));
  hash.add(trajectory.times());
  for (std::uint32_t r = 0; r < trajectory.n_rows(); ++r) hash.add(trajectory.row(r));
  for (const EventInstant& instant : solution.event_log.instants()) {
    hash.add(instant.t);
    hash.add(instant.x_minus);
    hash.add(instant.x_plus);
  }
}

class HashedRun final : public RunRecord {
 public:
  HashedRun(Observer& observer, RunFollower* follower, const char* file)
      : observer_(observer, hash_), follower_(follower, hash_), file_(file) {}
  Observer& observer() override { return observer_; }
  RunFollower* follower() override { return follower_.is_wanted() ? &follower_ : nullptr; }
  void ends(const Solution& solution) override {
    add_solution(hash_, solution);
    char digits[17];
    std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(hash_.value()));
    std::string model = solution.report.model;
    for (char& c : model)
      if (c == '\t' || c == '\n') c = ' ';
    const std::string line = model + "\t" + std::string(name(solution.report.outcome)) + "\t" +
                             std::to_string(solution.trajectory.n_steps()) + "\t" + digits + "\n";
    // One write to a file that is appended to is not torn by other processes.
    const int file = ::open(file_, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
    if (file < 0) return;
    if (::write(file, line.data(), line.size()) < 0) std::abort();
    ::close(file);
  }

 private:
  Hash hash_;
  HashedObserver observer_;
  HashedFollower follower_;
  const char* file_;
};

}  // namespace

std::unique_ptr<RunRecord> hash_of_run(Observer& observer, RunFollower* follower) {
  const char* const file = std::getenv("SALTUS_RUN_HASHES");
  if (file == nullptr) return nullptr;
  return std::make_unique<HashedRun>(observer, follower, file);
}

}  // namespace saltus::detail
