#include "slide/dae/vertex_form.hpp"

#include "slide/dae/copied_form.hpp"
#include "slide/dae/mixed_form.hpp"

namespace saltus::detail {

std::unique_ptr<VertexForm> vertex_form(const MixedLayout& layout, BaseAtSides& base,
                                        MixedPoint& point) {
  if (layout.has_copies) return std::make_unique<CopiedForm>(layout, base, point);
  return std::make_unique<MixedForm>(layout, base, point);
}

}  // namespace saltus::detail
