#include "trajectory/sliding_words.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include <saltus/core/text.hpp>

#include "trajectory/words.hpp"

namespace saltus::detail {

namespace {

const SurfaceMotion* motion_of(const SurfaceCandidateRecord& candidate,
                               const std::string& relation) {
  const auto found = std::ranges::find(candidate.motions, relation, &SurfaceMotion::relation);
  return found == candidate.motions.end() ? nullptr : &*found;
}

const SurfaceCandidateRecord* taken_candidate(const EventInstant& instant) {
  const auto found =
      std::ranges::find_if(instant.surface_candidates, &SurfaceCandidateRecord::taken);
  return found == instant.surface_candidates.end() ? nullptr : &*found;
}

/// The candidate with this truth of one relation and everything else as in the one that was taken.
const SurfaceMotion* motion_with(const EventInstant& instant, const SurfaceCandidateRecord& taken,
                                 const std::string& relation, bool truth) {
  for (const SurfaceCandidateRecord& candidate : instant.surface_candidates) {
    if (candidate.motions.size() != taken.motions.size()) continue;
    const bool fits = std::ranges::all_of(candidate.motions, [&](const SurfaceMotion& motion) {
      if (motion.relation == relation) return motion.truth == truth;
      const SurfaceMotion* there = motion_of(taken, motion.relation);
      return there != nullptr && there->truth == motion.truth;
    });
    if (fits) return motion_of(candidate, relation);
  }
  return nullptr;
}

/// "falls at 0.3". Against a rate that is a million times as large it hardly moves: that is how the end of
/// sliding is found.
std::string movement(double rate, double scale) {
  constexpr double noticeable = 1e-6;
  if (rate == 0.0) return "does not move";
  if (std::abs(rate) < noticeable * scale) return "hardly moves (at " + rounded(rate) + ")";
  return (rate > 0 ? "rises at " : "falls at ") + rounded(std::abs(rate));
}

/// One side's rate decides nothing: it stands still, compared with the other.
bool stands(double rate, double scale) { return std::abs(rate) < 1e-6 * scale; }

std::string conclusion(const Event& event, const std::string& called, const SurfaceMotion& with,
                       const SurfaceMotion& without, const SurfaceMotion& taken) {
  const double scale = std::max(std::abs(with.rate), std::abs(without.rate));
  if (!taken.truth) {
    // On several surfaces the only motion there is may keep one that does not attract.
    const auto leads_away = [&](const SurfaceMotion& side) {
      return !stands(side.rate, scale) && side.rate * side.multiplier > 0;
    };
    if (leads_away(with) || leads_away(without))
      return "only one of the sides leads to the surface, or none, but there is no other way to go "
             "on";
    if (stands(with.rate, scale) || stands(without.rate, scale))
      return "one side leads to the surface, and the next derivative of the other shows that it "
             "does, too";
    return "both sides lead to the surface";
  }
  const std::string side = called + (*taken.truth ? " true" : " false");
  if (event.kind == EventKind::exit_sliding)
    return "the side with " + side +
           " no longer leads to the surface, and the solution goes on there";
  const double other = *taken.truth ? without.rate : with.rate;
  const double own = *taken.truth ? with.rate : without.rate;
  if (stands(own, scale) || stands(other, scale) || (own > 0) == (other > 0))
    return "the surface is crossed, and the solution goes on with " + side;
  return "both sides lead away from the surface, and the solution goes on with " + side;
}

/// Those that were possible first.
std::vector<const SurfaceCandidateRecord*> by_possibility(
    std::span<const SurfaceCandidateRecord> candidates) {
  std::vector<const SurfaceCandidateRecord*> sorted;
  for (const SurfaceCandidateRecord& candidate : candidates) sorted.push_back(&candidate);
  std::ranges::stable_sort(sorted, std::ranges::greater{}, [](const SurfaceCandidateRecord* c) {
    return c->taken ? 2 : c->consistent ? 1 : 0;
  });
  return sorted;
}

std::vector<std::string> quoted(const std::vector<std::string>& names) {
  std::vector<std::string> texts;
  for (const std::string& name : names) texts.push_back(quote(name));
  return texts;
}

/// What a relation that is left became, as far as the log says.
std::optional<bool> truth_after(const EventInstant& instant, const std::string& relation) {
  if (const SurfaceCandidateRecord* taken = taken_candidate(instant)) {
    const SurfaceMotion* motion = motion_of(*taken, relation);
    if (motion != nullptr && motion->truth) return motion->truth;
  }
  const auto lock = std::ranges::find(instant.locks, relation, &LockChange::relation);
  if (lock != instant.locks.end()) return lock->after;
  return std::nullopt;
}

}  // namespace

std::string surface_sentence(const EventInstant& instant, const Event& event) {
  const SurfaceCandidateRecord* taken = taken_candidate(instant);
  if (taken == nullptr) {
    if (event.kind != EventKind::exit_sliding || event.direction == 0) return "";
    return std::string("One side no longer leads to the surface: the switching function ") +
           (event.direction > 0 ? "rises" : "falls") + " from zero.";
  }
  const SurfaceMotion* own = motion_of(*taken, event.name);
  const SurfaceMotion* with = motion_with(instant, *taken, event.name, true);
  const SurfaceMotion* without = motion_with(instant, *taken, event.name, false);
  if (own == nullptr || with == nullptr || without == nullptr) return "";
  const double scale = std::max(std::abs(with->rate), std::abs(without->rate));
  const std::string called = quote(event.name);
  return "With " + called + " true its switching function " + movement(with->rate, scale) +
         ", with it false it " + movement(without->rate, scale) + ": " +
         conclusion(event, called, *with, *without, *own) + ".";
}

bool is_replaced_by_mode(const EventInstant& instant, const std::string& relation) {
  const SurfaceCandidateRecord* taken = taken_candidate(instant);
  if (taken == nullptr ||
      std::ranges::find(instant.sliding_after, relation) != instant.sliding_after.end())
    return false;
  const SurfaceMotion* motion = motion_of(*taken, relation);
  return motion != nullptr ? !motion->truth : taken->text == "sliding on " + relation;
}

std::string sliding_sentence(const EventInstant& instant, const Event& event) {
  const auto& after = instant.sliding_after;
  if (after.empty()) return "";
  if (event.kind == EventKind::enter_sliding && after.size() == 1 && after.front() == event.name)
    return "";
  const bool as_before = after == instant.sliding_before;
  const std::string verb = as_before ? "It keeps sliding on " : "From here on it slides on ";
  return verb + (after.size() == 1 ? "the surface of " : "the surfaces of ") +
         enumeration(quoted(after)) +
         (after.size() == 1 ? "." : " (codimension " + std::to_string(after.size()) + ").");
}

std::string sliding_change(const EventInstant& instant, const Event& event) {
  const auto& after = instant.sliding_after;
  if (event.kind == EventKind::enter_sliding)
    return "sliding on " + (after.empty() ? event.name : enumeration(after));
  if (event.kind != EventKind::exit_sliding) return "";
  const std::optional<bool> truth = truth_after(instant, event.name);
  std::string text = truth ? (*truth ? "now true" : "now false") : "";
  if (!after.empty())
    text += (text.empty() ? "" : ", ") + ("still sliding on " + enumeration(after));
  return text;
}

std::vector<std::string> surface_table(const EventInstant& instant) {
  constexpr std::size_t most_shown = 9;  // all of two surfaces
  if (instant.surface_candidates.empty()) return {};
  const auto sorted = by_possibility(instant.surface_candidates);
  std::vector<std::vector<std::string>> rows;
  for (std::size_t k = 0; k < std::min(most_shown, sorted.size()); ++k)
    rows.push_back({sorted[k]->text, verdict_text(*sorted[k])});
  std::vector<std::string> lines{"Ways to go on from the surface:"};
  const std::string table = aligned(rows, 2);
  for (std::size_t begin = 0; begin < table.size();) {
    const std::size_t end = table.find('\n', begin);
    lines.push_back(table.substr(begin, end - begin));
    begin = end + 1;
  }
  if (sorted.size() > most_shown)
    lines.push_back("  ... and " + std::to_string(sorted.size() - most_shown) + " more");
  return lines;
}

std::string kind_words(EventKind kind) {
  std::string text(name(kind));
  std::ranges::replace(text, '_', ' ');
  return text;
}

}  // namespace saltus::detail

namespace saltus {

std::string verdict_text(const SurfaceCandidateRecord& candidate) {
  if (candidate.taken) return "taken";
  if (candidate.consistent) return "possible";
  return candidate.verdict.empty() ? "not possible" : candidate.verdict;
}

std::string ways_text(std::span<const SurfaceCandidateRecord> candidates, std::size_t most) {
  const auto sorted = detail::by_possibility(candidates);
  std::string text;
  for (std::size_t k = 0; k < std::min(most, sorted.size()); ++k)
    text += (k == 0 ? "" : "; ") + sorted[k]->text + ": " + verdict_text(*sorted[k]);
  return sorted.size() > most ? text + "; and " + std::to_string(sorted.size() - most) + " more"
                              : text;
}

}  // namespace saltus
