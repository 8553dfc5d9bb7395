#include <saltus/hybrid/run.hpp>

#include "hybrid/run/controller.hpp"

namespace saltus {

Run::Run(std::string model_name, std::shared_ptr<ConfigurationSource> source, RunOptions options,
         Observer& observer, RunFollower* follower)
    : controller_(std::make_unique<Controller>(std::move(model_name), std::move(source),
                                               std::move(options), observer, follower)) {}
Run::~Run() = default;
Run::Run(Run&&) noexcept = default;
Run& Run::operator=(Run&&) noexcept = default;

bool Run::advance() { return controller_->advance(); }
bool Run::advance_to(double t) { return controller_->advance_to(t); }
void Run::set_input(const std::string& name, double value) {
  controller_->set_input(name, {&value, 1});
}
void Run::set_input(const std::string& name, std::span<const double> value_and_derivatives) {
  controller_->set_input(name, value_and_derivatives);
}
std::span<const SurfaceCandidateRecord> Run::decision() const { return controller_->decision(); }
void Run::choose(std::size_t candidate) { controller_->choose(candidate); }
bool Run::ended() const { return controller_->ended(); }
double Run::t() const { return controller_->looks_at().t; }
std::span<const double> Run::x() const { return controller_->looks_at().x; }
std::span<const double> Run::xdot() const { return controller_->looks_at().xdot; }
const System& Run::system() const {
  const auto& system = controller_->here()->system;
  if (system == nullptr) throw Error("the run did not begin, so it has no system: see report()");
  return *system;
}
double Run::value(const std::string& variable) const { return controller_->value(variable); }
StepPolynomial Run::last_step() { return controller_->recording().last_step(); }
const Trajectory& Run::trajectory() const { return controller_->recording().trajectory(); }
const RunReport& Run::report() const { return controller_->report(); }
Solution Run::finish() { return controller_->finish(); }
std::string Run::save() const { return controller_->save(); }
void Run::restore(std::string_view saved) { controller_->restore(saved); }

}  // namespace saltus
