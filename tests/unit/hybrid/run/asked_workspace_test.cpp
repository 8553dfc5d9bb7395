// A workspace for questions in between.
#include "hybrid/run/asked_workspace.hpp"

#include "../scene.hpp"

namespace saltus::hybrid_test {
namespace {

SystemFunctions relay() {
  SystemFunctions f;
  f.unknowns = {{"x", 1.0}};
  f.locked_derivative = [](double, auto, auto locks, auto xdot) { xdot[0] = locks[0] ? -1 : 1; };
  add_relation(
      f, "x > 0", [](double, double x) { return x; }, true);
  return f;
}

TEST(AskedWorkspace, HasTheBranchesOfTheRunAndIsAnotherOne) {
  Scene s(relay());
  detail::AskedWorkspace asked;
  for (const bool truth : {true, false, true}) {
    s.board().set_truth(0, truth);
    Workspace& workspace = asked.as_running(s.here());
    EXPECT_NE(&workspace, s.here()->workspace.get());
    EXPECT_EQ(workspace.ability<Locks>()->locks()[0], truth ? 1 : 0);
  }
}

TEST(AskedWorkspace, IsKeptAsLongAsTheSystemIsTheSame) {
  Scene s(relay());
  detail::AskedWorkspace asked;
  EXPECT_EQ(&asked.as_running(s.here()), &asked.as_running(s.here()));
}

}  // namespace
}  // namespace saltus::hybrid_test
