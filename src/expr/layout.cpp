#include "layout.hpp"

#include <algorithm>

#include <saltus/core/error.hpp>

namespace saltus {

namespace {

/// A family is split into at most this many affine pieces; beyond, tables are cheaper.
constexpr std::size_t max_pieces = 8;

using Sequence = std::vector<std::uint32_t>;  // one entry (the same for all lanes) or one per lane

bool is_affine(const Sequence& s, std::uint32_t from, std::uint32_t to) {
  if (s.size() == 1 || to - from < 2) return true;
  const std::uint32_t stride = s[from + 1] - s[from];
  for (std::uint32_t j = from + 2; j < to; ++j)
    if (s[j] - s[j - 1] != stride) return false;
  return true;
}

/// Lanes at which a new affine run has to begin. A run of two is affine by accident, so a break
/// right after another is moved: the leading lane of a pair becomes a piece of its own.
void add_breaks(const Sequence& s, std::vector<std::uint32_t>& breaks) {
  if (s.size() < 3) return;
  std::uint32_t start = 0;
  for (std::uint32_t j = 2; j < s.size() && breaks.size() <= 4 * max_pieces; ++j) {
    if (j - start < 2 || s[j] - s[j - 1] == s[j - 1] - s[j - 2]) continue;
    const bool pair = j - start == 2;
    start = pair ? j - 1 : j;
    breaks.push_back(start);
  }
}

std::int32_t stride_of(const Sequence& s, std::uint32_t from, std::uint32_t to) {
  return s.size() == 1 || to - from < 2 ? 0 : static_cast<std::int32_t>(s[from + 1] - s[from]);
}

class FamilyLayout {
 public:
  FamilyLayout(const Plan& plan, const PlannedFamily& f, Program::Image& image,
               CopiedRegisters& copied)
      : p_(plan), f_(f), image_(image), copied_(copied) {}

  std::vector<std::uint32_t> run() {
    find_sequences();
    const FinishedBody finished = finish(f_.body, held_leaves());
    roots_ = finished.roots;
    body_ = static_cast<std::uint32_t>(image_.bodies.size());
    image_.bodies.push_back(finished.body);

    std::vector<std::uint32_t> breaks = find_breaks();
    if (breaks.size() > max_pieces) breaks.clear();
    breaks.push_back(f_.n_lanes);
    std::vector<std::uint32_t> made;
    std::uint32_t from = 0;
    for (std::uint32_t to : breaks) {
      made.push_back(static_cast<std::uint32_t>(image_.families.size()));
      image_.families.push_back(piece(from, to));
      from = to;
    }
    return made;
  }

  void unroll(std::vector<std::uint32_t>& temporaries,
              const std::function<std::uint32_t()>& allocate, std::vector<std::uint32_t>& code) {
    find_sequences();
    const FinishedBody finished = finish(f_.body, held_leaves());
    // One more, for what a sum was before.
    while (temporaries.size() <= finished.body.n_registers - leaves_.size())
      temporaries.push_back(allocate());
    for (std::uint32_t lane = 0; lane < f_.n_lanes; ++lane) {
      const auto place = [&](std::uint32_t r) {
        if (r >= leaves_.size()) return temporaries[r - leaves_.size()];
        const std::uint32_t from = entry(leaves_[r], lane);
        copied_.insert(from);
        return from;
      };
      for (auto pc = finished.body.code.begin(); static_cast<Code>(*pc) != Code::end;) {
        const auto operation = static_cast<Code>(*pc);
        const std::uint32_t length = length_of(operation);
        const auto [n_registers, mode_at] = operands_of(operation);
        for (std::uint32_t i = 0; i < length; ++i) {
          std::uint32_t word = pc[i];
          if (i > 0 && i <= n_registers) word = place(word);
          if (i > 0 && i == mode_at) word = entry(modes_[word], lane);
          code.push_back(word);
        }
        pc += length;
      }
      for (std::size_t k = 0; k < f_.stores.size(); ++k)
        unroll_store(k, lane, place(finished.roots[f_.stores[k].root]), temporaries.back(), code);
    }
  }

 private:
  void find_sequences() {
    for (const LeafSource& leaf : f_.leaves) leaves_.push_back(addresses(leaf));
    for (const auto& c : f_.conditions) modes_.push_back(modes(c));
    for (const auto& s : f_.stores) {
      store_places_.push_back(s.places);
      store_modes_.push_back(s.relations.empty() ? Sequence{0} : modes(s.relations));
    }
  }

  static std::uint32_t entry(const Sequence& s, std::uint32_t lane) {
    return s.size() == 1 ? s[0] : s[lane];
  }

  /// How many words after the opcode are registers, and which one is a mode (0: none).
  static std::pair<std::uint32_t, std::uint32_t> operands_of(Code code) {
    switch (code) {
      case Code::powi:
        return {2, 0};
      case Code::sign:
        return {1, 2};
      case Code::abs:
        return {2, 3};
      case Code::select:
      case Code::min:
      case Code::max:
        return {3, 4};
      default:
        return {length_of(code) - 1, 0};
    }
  }

  void unroll_store(std::size_t k, std::uint32_t lane, std::uint32_t from, std::uint32_t spare,
                    std::vector<std::uint32_t>& code) const {
    const auto write = [&](Code operation, std::initializer_list<std::uint32_t> words) {
      code.push_back(static_cast<std::uint32_t>(operation));
      code.insert(code.end(), words);
    };
    switch (f_.stores[k].kind) {
      case FamilyStore::Kind::registers:
        return write(Code::move, {entry(store_places_[k], lane), from});
      case FamilyStore::Kind::sum: {
        const std::uint32_t to = store_places_[k][0];
        write(Code::move, {lane == 0 ? to : spare, lane == 0 ? from : to});
        if (lane > 0) write(Code::add, {to, spare, from});
        return;
      }
      case FamilyStore::Kind::compare: {
        const Test test = p_.graph.relation_of(f_.stores[k].relations[0]).test;
        return write(Code::compare,
                     {entry(store_modes_[k], lane), from, static_cast<std::uint32_t>(test)});
      }
    }
  }

  Sequence addresses(const LeafSource& leaf) const {
    auto place = [&](NodeId id) {
      SALTUS_ASSERT(p_.address[id] != none);
      return p_.address[id];
    };
    if (leaf.kind == LeafSource::Kind::uniform) return {place(leaf.node)};
    Sequence s = leaf.lanes;
    if (leaf.kind == LeafSource::Kind::scalars) {
      for (std::uint32_t& x : s) x = place(x);
    } else {
      for (std::uint32_t& x : s) x += place(leaf.node);
    }
    return s;
  }

  Sequence modes(const std::vector<ConditionId>& conditions) const {
    if (conditions.size() == 1) {
      const std::uint32_t first = p_.mode[conditions[0]];
      if (p_.graph.condition(conditions[0]).shape == 0) return {first};
      Sequence s(f_.n_lanes);
      for (std::uint32_t j = 0; j < f_.n_lanes; ++j) s[j] = first + j;
      return s;
    }
    Sequence s(conditions.size());
    for (std::size_t j = 0; j < s.size(); ++j) s[j] = p_.mode[conditions[j]];
    return s;
  }

  std::vector<bool> held_leaves() const {
    std::vector<bool> held;
    for (const LeafSource& leaf : f_.leaves) {
      bool h = false;
      if (leaf.kind == LeafSource::Kind::uniform) h = !p_.varies(leaf.node);
      if (leaf.kind == LeafSource::Kind::scalars)
        h = std::none_of(leaf.lanes.begin(), leaf.lanes.end(),
                         [&](NodeId id) { return p_.varies(id); });
      held.push_back(h);
    }
    return held;
  }

  std::vector<std::uint32_t> find_breaks() const {
    std::vector<std::uint32_t> breaks;
    for (const auto* group : {&leaves_, &modes_, &store_places_, &store_modes_})
      for (const Sequence& s : *group) add_breaks(s, breaks);
    std::sort(breaks.begin(), breaks.end());
    breaks.erase(std::unique(breaks.begin(), breaks.end()), breaks.end());
    return breaks;
  }

  std::uint32_t add_table(const Sequence& s, std::uint32_t from, std::uint32_t to) {
    image_.tables.emplace_back(s.begin() + from, s.begin() + to);
    return static_cast<std::uint32_t>(image_.tables.size() - 1);
  }

  /// Which argument a run of registers lies in; the register file itself if in none or several.
  LanePlaces places(const Sequence& s, std::uint32_t from, std::uint32_t to) {
    const std::uint32_t first = s.size() == 1 ? s[0] : s[from];
    const std::uint32_t last = s.size() == 1 ? s[0] : s[to - 1];
    if (!is_affine(s, from, to)) {
      for (std::uint32_t j = from; j < to; ++j) copied_.insert(s[j]);
      return {0, 0, 0, add_table(s, from, to)};
    }
    const std::int32_t stride = stride_of(s, from, to);
    for (std::uint32_t k = 0; k < image_.segments.size(); ++k) {
      const SegmentPlace& segment = image_.segments[k];
      auto inside = [&](std::uint32_t r) {
        return r >= segment.at && r < segment.at + segment.count;
      };
      if (inside(first) && inside(last)) return {k + 1, first - segment.at, stride, none};
    }
    const std::uint32_t n = s.size() == 1 ? 1 : to - from;
    for (std::uint32_t j = 0; j < n; ++j)
      copied_.insert(first + j * static_cast<std::uint32_t>(stride));
    return {0, first, stride, none};
  }

  LaneModes lane_modes(const Sequence& s, std::uint32_t from, std::uint32_t to) {
    if (is_affine(s, from, to))
      return {s.size() == 1 ? s[0] : s[from], stride_of(s, from, to), none};
    return {0, 0, add_table(s, from, to)};
  }

  Family piece(std::uint32_t from, std::uint32_t to) {
    Family out;
    out.n_lanes = to - from;
    out.code = body_;
    for (const Sequence& s : leaves_) out.leaves.push_back(places(s, from, to));
    for (const Sequence& s : modes_) out.modes.push_back(lane_modes(s, from, to));
    for (std::size_t k = 0; k < f_.stores.size(); ++k) {
      const auto& planned = f_.stores[k];
      FamilyStore store;
      store.kind = planned.kind;
      store.from = roots_[planned.root];
      if (planned.kind == FamilyStore::Kind::compare) {
        store.modes = lane_modes(store_modes_[k], from, to);
        store.test = p_.graph.relation_of(planned.relations[0]).test;
      } else {
        store.to = places(store_places_[k], from, to);
        // A later piece continues the sum an earlier one began.
        store.continues = planned.kind == FamilyStore::Kind::sum && from > 0;
      }
      out.stores.push_back(store);
    }
    return out;
  }

  const Plan& p_;
  const PlannedFamily& f_;
  Program::Image& image_;
  CopiedRegisters& copied_;
  std::vector<Sequence> leaves_;
  std::vector<Sequence> modes_;
  std::vector<Sequence> store_places_;
  std::vector<Sequence> store_modes_;
  std::vector<std::uint32_t> roots_;
  std::uint32_t body_ = 0;
};

}  // namespace

void CopiedRegisters::insert(std::uint32_t r) {
  if (marked_.size() <= r) marked_.resize(std::max<std::size_t>(r + 1, 2 * marked_.size()));
  marked_[r] = true;
}

std::vector<CopyRun> CopiedRegisters::runs(const std::vector<SegmentPlace>& segments) const {
  std::vector<CopyRun> out;
  for (std::uint32_t k = 0; k < segments.size(); ++k) {
    for (std::uint32_t i = 0; i < segments[k].count; ++i) {
      const std::uint32_t r = segments[k].at + i;
      if (r >= marked_.size() || !marked_[r]) continue;
      const bool continues =
          !out.empty() && out.back().segment == k && out.back().offset + out.back().count == i;
      if (continues) {
        ++out.back().count;
      } else {
        out.push_back({k, i, 1});
      }
    }
  }
  return out;
}

std::vector<std::uint32_t> lay_out_family(const Plan& plan, const PlannedFamily& family,
                                          Program::Image& image, CopiedRegisters& copied) {
  return FamilyLayout(plan, family, image, copied).run();
}

void unroll_family(const Plan& plan, const PlannedFamily& family, Program::Image& image,
                   CopiedRegisters& copied, std::vector<std::uint32_t>& temporaries,
                   const std::function<std::uint32_t()>& allocate,
                   std::vector<std::uint32_t>& code) {
  FamilyLayout(plan, family, image, copied).unroll(temporaries, allocate, code);
}

}  // namespace saltus
