#include <saltus/structure/system_jacobian.hpp>

#include <utility>

#include <saltus/core/error.hpp>

namespace saltus {

SystemJacobian system_jacobian(const SignatureMatrix& signature, const SigmaOffsets& offsets) {
  SALTUS_ASSERT(offsets.equation.size() == signature.n_equations());
  SALTUS_ASSERT(offsets.unknown.size() == signature.n_unknowns);
  std::vector<index_t> rows;
  std::vector<index_t> columns;
  std::vector<std::uint32_t> orders;
  for (std::uint32_t i = 0; i < signature.n_equations(); ++i)
    for (const SignatureMatrix::Entry& e : signature.row(i)) {
      if (offsets.unknown[e.unknown] != offsets.equation[i] + e.order) continue;
      rows.push_back(static_cast<index_t>(i));
      columns.push_back(static_cast<index_t>(e.unknown));
      orders.push_back(e.order);
    }
  CscAssembly assembly = assemble(static_cast<index_t>(signature.n_equations()),
                                  static_cast<index_t>(signature.n_unknowns), rows, columns);
  SystemJacobian jacobian{std::move(assembly.pattern), std::vector<std::uint32_t>(orders.size())};
  for (std::size_t k = 0; k < orders.size(); ++k)
    jacobian.order[static_cast<std::size_t>(assembly.slot[k])] = orders[k];
  return jacobian;
}

}  // namespace saltus
