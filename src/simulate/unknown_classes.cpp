#include "simulate/unknown_classes.hpp"

#include <algorithm>

namespace saltus {

namespace {

std::string name_of_derivative(std::string name, std::uint32_t order) {
  for (std::uint32_t k = 0; k < order; ++k) name = "der(" + name + ")";
  return name;
}

std::vector<std::uint32_t> highest_written(const SignatureMatrix& signature) {
  std::vector<std::uint32_t> highest(signature.n_unknowns, 0);
  for (const SignatureMatrix::Entry& e : signature.entries)
    highest[e.unknown] = std::max(highest[e.unknown], e.order);
  return highest;
}

/// Stage p of the Sigma-method: equations differentiated p times at least are equations for the
/// derivatives x_j^(d_j - p). Those of them that are as many as their unknowns leave nothing to choose.
std::vector<std::uint8_t> dictated_at(const StructuralAnalysis& s, std::uint32_t stage) {
  const SigmaOffsets& offsets = *s.offsets;
  SignatureMatrix part;
  part.n_unknowns = s.signature.n_unknowns;
  for (std::uint32_t i = 0; i < s.signature.n_equations(); ++i) {
    if (offsets.equation[i] < stage) continue;
    for (const SignatureMatrix::Entry& e : s.signature.row(i))
      if (offsets.unknown[e.unknown] == offsets.equation[i] + e.order) part.entries.push_back(e);
    part.end_row();
  }
  const DulmageMendelsohn parts = dulmage_mendelsohn(part, maximum_matching(part));
  std::vector<std::uint8_t> dictated(part.n_unknowns, 1);
  for (const std::uint32_t j : parts.underdetermined.unknowns) dictated[j] = 0;
  return dictated;
}

/// Calls visit(variable, order of the derivative) for the unknowns of the first-order form.
template <class Visit>
void for_each_unknown(const std::vector<std::uint32_t>& highest, Visit&& visit) {
  for (std::uint32_t j = 0; j < highest.size(); ++j)
    for (std::uint32_t order = 0; order < std::max(highest[j], 1U); ++order) visit(j, order);
}

std::vector<ClassifiedUnknown> classes_of_singular(const StructuralAnalysis& s,
                                                   const std::vector<std::uint32_t>& highest) {
  std::vector<std::uint8_t> open(highest.size(), 0);
  for (const std::uint32_t j : s.parts.underdetermined.unknowns) open[j] = 1;
  std::vector<ClassifiedUnknown> unknowns;
  for_each_unknown(highest, [&](std::uint32_t j, std::uint32_t order) {
    const bool carries = highest[j] > 0;
    unknowns.push_back({name_of_derivative(s.unknowns[j], order),
                        open[j]   ? UnknownClass::undetermined
                        : carries ? UnknownClass::differential
                                  : UnknownClass::algebraic,
                        carries});
  });
  return unknowns;
}

}  // namespace

std::vector<ClassifiedUnknown> classes_by_structure(const StructuralAnalysis& structure) {
  const std::vector<std::uint32_t> highest = highest_written(structure.signature);
  if (structure.is_singular()) return classes_of_singular(structure, highest);
  const SigmaOffsets& offsets = *structure.offsets;
  std::vector<std::vector<std::uint8_t>> dictated(1);  // by stage
  std::vector<ClassifiedUnknown> unknowns;
  for_each_unknown(highest, [&](std::uint32_t j, std::uint32_t order) {
    const bool carries = highest[j] > 0;
    auto what = UnknownClass::algebraic;
    if (carries) {
      const std::uint32_t stage = offsets.unknown[j] - order;
      while (dictated.size() <= stage)
        dictated.push_back(dictated_at(structure, static_cast<std::uint32_t>(dictated.size())));
      if (!dictated[stage][j]) what = UnknownClass::differential;
    }
    unknowns.push_back({name_of_derivative(structure.unknowns[j], order), what, carries});
  });
  return unknowns;
}

std::vector<std::uint8_t> constrained_by_structure(const StructuralAnalysis& structure,
                                                   std::span<const std::uint32_t> holds) {
  const std::vector<std::uint32_t> highest = highest_written(structure.signature);
  std::vector<std::vector<std::uint8_t>> concerned;  // by variable and order
  for (const std::uint32_t order : highest) concerned.emplace_back(std::max(order, 1U), 0);
  for (const DifferentiatedEquation& q : structure.hidden_constraints) {
    const std::uint32_t first = q.equation < holds.size() ? holds[q.equation] : 0;
    for (const SignatureMatrix::Entry& e : structure.signature.row(q.equation))
      // Of a derivative what it determines is the highest order in it.
      for (std::uint32_t level = first; level <= q.times; ++level)
        if (e.order + level < highest[e.unknown]) concerned[e.unknown][e.order + level] = 1;
  }
  std::vector<std::uint8_t> flags;
  for_each_unknown(
      highest, [&](std::uint32_t j, std::uint32_t order) { flags.push_back(concerned[j][order]); });
  return flags;
}

}  // namespace saltus
