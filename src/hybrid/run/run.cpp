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
std::span<const SurfaceCandidateRecord> Run::decision() const { return controller_->decision(); }
void Run::choose(std::size_t candidate) { controller_->choose(candidate); }
bool Run::ended() const { return controller_->ended(); }
double Run::t() const { return controller_->here().t(); }
std::span<const double> Run::x() const { return controller_->here().x(); }
std::span<const double> Run::xdot() const { return controller_->here().xdot(); }
const System& Run::system() const { return *controller_->here()->system; }
StepPolynomial Run::last_step() { return controller_->recording().last_step(); }
const Trajectory& Run::trajectory() const { return controller_->recording().writer().trajectory(); }
const RunReport& Run::report() const { return controller_->report(); }
Solution Run::finish() { return controller_->finish(); }

}  // namespace saltus
