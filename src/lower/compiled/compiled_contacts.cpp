#include "lower/compiled/compiled_contacts.hpp"

#include <saltus/core/text.hpp>

#include "lower/compiled/contact_decision.hpp"

namespace saltus::detail {

std::optional<std::string> CompiledContacts::decide(ContactEvent event, double t,
                                                    std::span<double> x,
                                                    std::span<double> discrete) {
  ContactDecision decision(reading_, jumps_, series_, std::move(event), t, x, discrete);
  auto said = decision.make();
  remark_ = decision.remark();
  if (const auto verdict = decision.uniqueness()) tell_of_choice(decision.closed(), *verdict);
  return said;
}

/// Once for the same contacts: that their motion may not be the only one does not end with the instant.
void CompiledContacts::tell_of_choice(ContactMotion::Group closed, MotionVerdict verdict) {
  if (verdict == MotionVerdict::proven) return;
  std::vector<std::string> names;
  for (const std::uint32_t i : closed) names.push_back(quote(reading_.plan().contacts()[i].name));
  const std::string who = join(names, ", ");
  if (!told_of_.insert(who).second) return;
  remark_ += (remark_.empty() ? "" : "; ") + std::string("contacts ") + who + ": ";
  remark_ +=
      verdict == MotionVerdict::chosen
          ? "mu_static and mu_kinetic allow several motions, in which different contacts begin to "
            "slip; as many as possible were taken to stick"
          : "several searches found the same motion, but it is not proven to be the only one";
}

std::string CompiledContacts::jumped(double t, std::span<const double> x,
                                     std::span<const double> xdot,
                                     std::span<const double> discrete) {
  if (jumps_.is_start() || jumps_.is_as_before(watched(t, x, xdot))) return {};
  ContactMotion motion(reading_.plan());
  if (auto said = reading_.evaluate(t, x, motion)) return *said;
  std::vector<std::string> all;
  for (std::uint32_t i = 0; i < reading_.plan().contacts().size(); ++i) {
    std::string text = jumps_.felt(motion, i, jumps_.of(motion, i), discrete);
    if (!text.empty()) all.push_back(std::move(text));
  }
  return join(all, ", ");
}

}  // namespace saltus::detail
