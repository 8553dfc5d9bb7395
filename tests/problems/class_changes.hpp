// Models whose unknowns change class at t = 0.5: one for each way in which the numbers of differential,
// algebraic and undetermined unknowns can change (CharacteristicChange), with what must be predicted of it.
//
// Unknowns that are absent count as undetermined. Such models run. Those marked `open` have an unknown that occurs
// and that nothing determines, a control say: they can be analysed only.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <saltus/model.hpp>

namespace saltus::problems {

struct ClassChange {
  int number = 0;
  bool open = false;
  std::string what;
  std::function<void(Model&, ModeId before, ModeId after)> write;
  std::vector<std::string> jumps = {};      // of unknowns that exist on both sides
  std::vector<std::string> impulsive = {};  // unknowns that may have impulses
  bool continuous = true;                   // but for algebraic unknowns that follow
  bool unique = true;
};

inline constexpr double class_change_time = 0.5;

inline void write_class_change(Model& m, const ClassChange& c) {
  if (c.open) m.allow_unequal_counts();
  const ModeId before = m.mode("before"), after = m.mode("after");
  c.write(m, before, after);
  m.transition("switch", before, after, m.time() >= class_change_time);
}

/// x' = -x in all of them, w, y, f, s beside it.
inline std::vector<ClassChange> class_changes() {
  const auto decays = [](Model& m) {
    Expr x = m.state("x", 1.0);
    m.equation("x", der(x) == -x);
    return x;
  };
  // w' = -w + f, which stays where w is dictated: f is what it takes.
  const auto pushed = [](Model& m, const Expr& w, const Expr& f) {
    m.equation("push", 2.0 * der(w) == -w + f);
  };
  return {
      {1,
       false,
       "algebraic stays algebraic, by another equation",
       [=](Model& m, ModeId before, ModeId after) {
         Expr x = decays(m), y = m.algebraic("y");
         m.equation(before, y == 2.0 * x);
         m.equation(after, y == 3.0 * x);
       },
       {"y"}},
      {2, false, "absent becomes algebraic",
       [=](Model& m, ModeId, ModeId after) {
         Expr x = decays(m), y = m.algebraic("y");
         m.equation(after, y == x + 1.0);
       }},
      {3, false, "algebraic becomes absent",
       [=](Model& m, ModeId before, ModeId) {
         Expr x = decays(m), y = m.algebraic("y");
         m.equation(before, y == x + 1.0);
       }},
      {4,
       false,
       "differential becomes algebraic, its derivative stays",
       [=](Model& m, ModeId before, ModeId after) {
         decays(m);
         Expr w = m.state("w", 3.0), f = m.algebraic("f");
         pushed(m, w, f);
         m.equation(before, f == 0.0);
         m.equation(after, w == 1.0);
       },
       {"w", "f"},
       {"f"},
       false},
      {5, false, "differential becomes absent",
       [=](Model& m, ModeId before, ModeId) {
         decays(m);
         Expr w = m.state("w", 3.0);
         m.equation(before, der(w) == -w);
       }},
      {6,
       false,
       "of two that are differential one becomes algebraic, one absent",
       [=](Model& m, ModeId before, ModeId after) {
         Expr x = decays(m), w = m.state("w", 3.0), s = m.state("s", 2.0);
         m.equation(before, "w", der(w) == -w + s);
         m.equation(before, "s", der(s) == -s);
         m.equation(after, "tied", w == 2.0 * x);
       },
       {"w"},
       {},
       false},
      {7, false, "differential and algebraic become absent",
       [=](Model& m, ModeId before, ModeId) {
         decays(m);
         Expr w = m.state("w", 3.0), y = m.algebraic("y");
         m.equation(before, der(w) == -w);
         m.equation(before, y == 2.0 * w);
       }},
      {8,
       false,
       "differential and absent become algebraic",
       [=](Model& m, ModeId before, ModeId after) {
         decays(m);
         Expr w = m.state("w", 3.0), f = m.algebraic("f");
         m.equation(before, der(w) == -w);
         m.equation(after, "push", 2.0 * der(w) == -w + f);
         m.equation(after, "stop", w == 1.0);
       },
       {"w"},
       {"f"},
       false},
      {9, false, "algebraic becomes differential",
       [=](Model& m, ModeId before, ModeId after) {
         Expr x = decays(m), w = m.state("w", {.guess = 2.0});
         m.equation(before, w == 2.0 * x);
         m.equation(after, der(w) == -3.0 * w);
       }},
      {10, false, "absent becomes differential",
       [=](Model& m, ModeId, ModeId after) {
         decays(m);
         Expr w = m.state("w", 3.0);
         m.equation(after, der(w) == -w);
       }},
      {11, false, "algebraic and absent become differential",
       [=](Model& m, ModeId before, ModeId after) {
         Expr x = decays(m), y = m.state("y", {.guess = 2.0}), w = m.state("w", 3.0);
         m.equation(before, y == 2.0 * x);
         m.equation(after, der(y) == -y + w);
         m.equation(after, der(w) == -w);
       }},
      {12, false, "of two that are algebraic one becomes differential, one absent",
       [=](Model& m, ModeId before, ModeId after) {
         decays(m);
         Expr w = m.state("w", {.guess = 1.0}), f = m.algebraic("f");
         m.equation(before, "push", 2.0 * der(w) == -w + f);
         m.equation(before, "stop", w == 1.0);
         m.equation(after, der(w) == -w);
       }},
      {13, false, "absent become differential and algebraic",
       [=](Model& m, ModeId, ModeId after) {
         Expr x = decays(m), w = m.state("w", 3.0), y = m.algebraic("y");
         m.equation(after, der(w) == -w + y);
         m.equation(after, y == 2.0 * x);
       }},
  };
}

/// x' = -x + w and so on with w, s, f that occur without being determined.
inline std::vector<ClassChange> open_class_changes() {
  const auto driven = [](Model& m, const Expr& w) {
    Expr x = m.state("x", 1.0);
    m.equation("x", der(x) == -x + w);
    return x;
  };
  return {
      {2,
       true,
       "a control becomes feedback",
       [=](Model& m, ModeId, ModeId after) {
         Expr w = m.state("w", 3.0), x = driven(m, w);
         m.equation(after, w == 2.0 * x);
       },
       {"w"},
       {},
       false},
      {3,
       true,
       "feedback becomes a control",
       [=](Model& m, ModeId before, ModeId) {
         Expr w = m.state("w", {.guess = 2.0}), x = driven(m, w);
         m.equation(before, w == 2.0 * x);
       },
       {},
       {},
       true,
       false},
      {5,
       true,
       "differential becomes undetermined",
       [=](Model& m, ModeId before, ModeId) {
         Expr w = m.state("w", 3.0);
         driven(m, w);
         m.equation(before, der(w) == -w);
       },
       {},
       {},
       true,
       false},
      {6,
       true,
       "of two that are differential one becomes algebraic, one undetermined",
       [=](Model& m, ModeId before, ModeId after) {
         Expr w = m.state("w", 3.0), s = m.state("s", 2.0), x = driven(m, w + s);
         m.equation(before, "w", der(w) == -w);
         m.equation(before, "s", der(s) == -s);
         m.equation(after, "tied", w == 2.0 * x);
       },
       {"w"},
       {},
       false,
       false},
      {7,
       true,
       "differential and algebraic become undetermined",
       [=](Model& m, ModeId before, ModeId) {
         Expr w = m.state("w", 3.0), y = m.algebraic("y");
         driven(m, w + y);
         m.equation(before, "w", der(w) == -w);
         m.equation(before, "y", y == 2.0 * w);
       },
       {},
       {},
       true,
       false},
      {8,
       true,
       "differential and undetermined become algebraic",
       [=](Model& m, ModeId before, ModeId after) {
         Expr w = m.state("w", 3.0), f = m.state("f", 0.0);
         driven(m, w + f);
         m.equation(before, "free", der(w) == -w);
         m.equation(after, "push", 2.0 * der(w) == -w + f);
         m.equation(after, "stop", w == 1.0);
       },
       {"w", "f", "x"},
       {"f"},
       false},  // the impulse of f drives x
      {10, true, "undetermined becomes differential",
       [=](Model& m, ModeId, ModeId after) {
         Expr w = m.state("w", 3.0);
         driven(m, w);
         m.equation(after, der(w) == -w);
       }},
      {11, true, "algebraic and undetermined become differential",
       [=](Model& m, ModeId before, ModeId after) {
         Expr w = m.state("w", 3.0), y = m.state("y", {.guess = 2.0}), x = driven(m, w + y);
         m.equation(before, y == 2.0 * x);
         m.equation(after, der(y) == -y);
         m.equation(after, der(w) == -w);
       }},
      {12,
       true,
       "of two that are algebraic one becomes differential, one undetermined",
       [=](Model& m, ModeId before, ModeId) {
         Expr w = m.state("w", {.guess = 1.0}), f = m.algebraic("f");
         driven(m, w);
         m.equation("push", 2.0 * der(w) == -w + f);
         m.equation(before, "stop", w == 1.0);
       },
       {},
       {},
       true,
       false},
      {13,
       true,
       "undetermined become differential and algebraic",
       [=](Model& m, ModeId, ModeId after) {
         Expr w = m.state("w", 3.0), y = m.state("y", 1.0), x = driven(m, w + y);
         m.equation(after, "w", der(w) == -w);
         m.equation(after, "y", y == 2.0 * x);
       },
       {"y"},
       {},
       false},
  };
}

}  // namespace saltus::problems
