#include "modelica/ordering.hpp"

namespace saltus::modelica {

Ordering in_order(std::uint32_t n,
                  const std::function<std::vector<std::uint32_t>(std::uint32_t)>& needs_of) {
  enum class Mark : std::uint8_t { unseen, open, done };
  struct Visit {
    std::uint32_t item;
    std::vector<std::uint32_t> needs;
    std::size_t next = 0;
  };
  Ordering result;
  std::vector<Mark> marks(n, Mark::unseen);
  std::vector<Visit> path;
  for (std::uint32_t k = 0; k < n; ++k) {
    if (marks[k] != Mark::unseen) continue;
    marks[k] = Mark::open;
    path.push_back({k, needs_of(k)});
    while (!path.empty()) {
      Visit& v = path.back();
      if (v.next == v.needs.size()) {
        marks[v.item] = Mark::done;
        result.order.push_back(v.item);
        path.pop_back();
        continue;
      }
      const std::uint32_t next = v.needs[v.next++];
      if (marks[next] == Mark::done) continue;
      if (marks[next] == Mark::open) {
        std::size_t from = 0;
        while (path[from].item != next) ++from;
        for (; from < path.size(); ++from) result.circle.push_back(path[from].item);
        result.order.clear();
        return result;
      }
      marks[next] = Mark::open;
      path.push_back({next, needs_of(next)});
    }
  }
  return result;
}

}  // namespace saltus::modelica
