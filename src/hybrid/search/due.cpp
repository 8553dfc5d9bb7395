#include "hybrid/search/due.hpp"

namespace saltus::detail {

bool add_due(const Stay& here, double t_end, std::vector<Crossing>& crossings) {
  SwitchingFunctions& functions = here->kit->board.functions();
  for (std::uint32_t w = 0; w < functions.count(); ++w) {
    if (!functions.is_timed(w) || !functions.is_due(w, here.stretch_end())) continue;
    const int side = here->kit->board.side(w);
    crossings.push_back({w, here.forward() ? -side : side, Guarantee::proven, 0.0});
  }
  return here->scheduled != nullptr && here.stretch_end() != t_end &&
         here->scheduled->next(here.stretch_begin(), t_end) == here.stretch_end();
}

}  // namespace saltus::detail
