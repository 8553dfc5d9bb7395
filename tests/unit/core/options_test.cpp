#include <saltus/core/options.hpp>

#include <gtest/gtest.h>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace options_test {

enum class Norm { wrms, max };

constexpr auto option_choices(Norm) {
  return std::array{saltus::Choice{"wrms", Norm::wrms}, saltus::Choice{"max", Norm::max}};
}

struct NewtonOptions {
  double rtol = 1e-8;
  int max_iterations = 10;
  Norm norm = Norm::wrms;
};

template <class V>
void describe(NewtonOptions& o, V& field) {
  field("rtol", o.rtol).above(0).at_most(1).help("relative size of the last step");
  field("max_iterations", o.max_iterations).at_least(1).help("steps before giving up");
  field("norm", o.norm).help("how a step is measured");
}

struct RunOptions {
  double t_end_s = 1.0;
  double h_max_s = std::numeric_limits<double>::infinity();
  bool strict = true;
  std::string label = "run";
  NewtonOptions newton;
};

template <class V>
void describe(RunOptions& o, V& field) {
  field("t_end_s", o.t_end_s).unit("s").at_least(0).below(1e9).help("end of the run");
  field("h_max_s", o.h_max_s).unit("s").above(0).infinite_allowed().help("longest step");
  field("strict", o.strict).help("refuse what is doubtful");
  field("label", o.label).help("name in the report");
  field("newton", o.newton);
}

struct Twice {
  int a = 0;
};
template <class V>
void describe(Twice& o, V& field) {
  field("a", o.a);
  field("a", o.a);
}

// The message of the OptionError that `action` throws, or nothing.
template <class F>
std::string refusal(F action) {
  try {
    action();
  } catch (const saltus::OptionError& error) {
    return error.what();
  }
  return {};
}

using saltus::set_option;
using saltus::validate_options;

TEST(Options, DefaultsAreValid) { EXPECT_NO_THROW(validate_options(RunOptions{})); }

TEST(Options, RefusalNamesFieldValueUnitAndBound) {
  RunOptions run;
  run.t_end_s = -2.5;
  EXPECT_EQ(refusal([&] { validate_options(run); }),
            "option 't_end_s': -2.5 s is refused, it must be >= 0 s and < 1e+09 s and finite");
}

TEST(Options, BoundsAreSharp) {
  const auto accepts = [](double rtol) {
    NewtonOptions o;
    o.rtol = rtol;
    return refusal([&] { validate_options(o); }).empty();
  };
  EXPECT_TRUE(accepts(1.0));
  EXPECT_FALSE(accepts(std::nextafter(1.0, 2.0)));
  EXPECT_FALSE(accepts(0.0));
  EXPECT_TRUE(accepts(std::numeric_limits<double>::denorm_min()));

  RunOptions run;
  run.t_end_s = 0.0;
  EXPECT_NO_THROW(validate_options(run));
  run.t_end_s = 1e9;
  EXPECT_THROW(validate_options(run), saltus::OptionError);
}

TEST(Options, InfinityOnlyWhereAllowedAndNanNowhere) {
  RunOptions run;
  run.t_end_s = std::numeric_limits<double>::infinity();
  EXPECT_THROW(validate_options(run), saltus::OptionError);
  run = RunOptions{};
  run.h_max_s = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(validate_options(run), saltus::OptionError);
}

TEST(Options, NestedFieldsAreCheckedUnderTheirFullName) {
  RunOptions run;
  run.newton.max_iterations = 0;
  EXPECT_EQ(refusal([&] { validate_options(run); }),
            "option 'newton.max_iterations': 0 is refused, it must be >= 1");
}

TEST(Options, EnumWithoutANameIsRefused) {
  NewtonOptions o;
  o.norm = static_cast<Norm>(7);
  EXPECT_EQ(refusal([&] { validate_options(o); }),
            "option 'norm': '7' is refused, it must be one of wrms, max");
}

TEST(Options, SetByNameFromText) {
  RunOptions run;
  set_option(run, "t_end_s", "2.5");
  set_option(run, "h_max_s", "inf");
  set_option(run, "strict", "false");
  set_option(run, "label", "a b");
  set_option(run, "newton.max_iterations", "3");
  set_option(run, "newton.norm", "max");
  EXPECT_EQ(run.t_end_s, 2.5);
  EXPECT_FALSE(run.strict);
  EXPECT_EQ(run.label, "a b");
  EXPECT_EQ(run.newton.max_iterations, 3);
  EXPECT_EQ(run.newton.norm, Norm::max);
}

TEST(Options, RefusedTextChangesNothing) {
  RunOptions run;
  EXPECT_EQ(refusal([&] { set_option(run, "newton.max_iterations", "many"); }),
            "option 'newton.max_iterations': 'many' is not a value of type int");
  EXPECT_EQ(refusal([&] { set_option(run, "newton.rtol", "2"); }),
            "option 'newton.rtol': 2 is refused, it must be > 0 and <= 1 and finite");
  EXPECT_EQ(refusal([&] { set_option(run, "newton.norm", "wrm"); }),
            "option 'newton.norm': 'wrm' is refused, it must be one of wrms, max "
            "(did you mean 'wrms'?)");
  EXPECT_TRUE(saltus::same_options(run, RunOptions{}));
}

TEST(Options, UnknownNameIsRefusedWithTheNearest) {
  RunOptions run;
  EXPECT_EQ(refusal([&] { set_option(run, "newton.rtoll", "1e-3"); }),
            "option 'newton.rtoll': no such option, did you mean 'newton.rtol'?");
  EXPECT_EQ(refusal([&] { set_option(run, "colour", "red"); }), "option 'colour': no such option");
}

TEST(Options, ListingShowsEverythingDeclared) {
  const std::vector<saltus::OptionInfo> list = saltus::list_options<RunOptions>();
  ASSERT_EQ(list.size(), 7u);
  EXPECT_EQ(list[0].name, "t_end_s");
  EXPECT_EQ(list[0].type, "real");
  EXPECT_EQ(list[0].default_value, "1");
  EXPECT_EQ(list[0].unit, "s");
  EXPECT_EQ(list[0].bounds, ">= 0 s and < 1e+09 s and finite");
  EXPECT_EQ(list[0].help, "end of the run");
  EXPECT_EQ(list[1].bounds, "> 0 s and not nan");
  EXPECT_EQ(list[2].bounds, "");
  EXPECT_EQ(list[6].name, "newton.norm");
  EXPECT_EQ(list[6].bounds, "one of wrms, max");
}

TEST(Options, GivenBesideDefault) {
  RunOptions run;
  run.newton.rtol = 1e-6;
  std::vector<std::string> changed;
  for (const saltus::OptionPair& pair : saltus::compare_options(run)) {
    if (pair.changed) changed.push_back(pair.name + ' ' + pair.given + ' ' + pair.default_value);
  }
  EXPECT_EQ(changed, std::vector<std::string>{"newton.rtol 1e-06 1e-08"});
  EXPECT_FALSE(saltus::same_options(run, RunOptions{}));
}

struct Lists {
  std::vector<double> times;
  std::vector<std::string> variables;
  std::vector<saltus::Named<double>> atol_of;
  std::vector<saltus::Named<std::string>> engine_of;
};
template <class V>
void describe(Lists& o, V& field) {
  field("times", o.times).at_least(0).help("when");
  field("variables", o.variables).help("what");
  field("atol_of", o.atol_of).above(0).help("how well");
  field("engine_of", o.engine_of).help("by what");
}

TEST(Options, ListsAreReadFromTextAndShownAsText) {
  Lists lists;
  set_option(lists, "times", "0, 0.5,1e3");
  set_option(lists, "variables", "x , der(y)");
  set_option(lists, "atol_of", "x=1e-9, m[2]=3");
  set_option(lists, "engine_of", "stick=radau");
  EXPECT_EQ(lists.times, (std::vector<double>{0, 0.5, 1e3}));
  EXPECT_EQ(lists.variables, (std::vector<std::string>{"x", "der(y)"}));
  EXPECT_EQ(lists.atol_of, (std::vector<saltus::Named<double>>{{"x", 1e-9}, {"m[2]", 3}}));
  EXPECT_EQ(lists.engine_of, (std::vector<saltus::Named<std::string>>{{"stick", "radau"}}));
  std::vector<std::string> shown;
  for (const saltus::OptionPair& pair : saltus::compare_options(lists)) shown.push_back(pair.given);
  EXPECT_EQ(shown, (std::vector<std::string>{"0, 0.5, 1000", "x, der(y)", "x=1e-09, m[2]=3",
                                             "stick=radau"}));
  set_option(lists, "times", "");
  EXPECT_TRUE(lists.times.empty());
}

TEST(Options, NamesOfConditionsHaveCommasAndComparisons) {
  Lists lists;
  set_option(lists, "variables", "max(x, y), m[1,2]");
  EXPECT_EQ(lists.variables, (std::vector<std::string>{"max(x, y)", "m[1,2]"}));
  set_option(lists, "engine_of", "h <= 0=when h >= max(a, b), a == b=x != y");
  EXPECT_EQ(lists.engine_of, (std::vector<saltus::Named<std::string>>{
                                 {"h <= 0", "when h >= max(a, b)"}, {"a == b", "x != y"}}));
}

TEST(Options, ListsAreRefusedElementByElement) {
  Lists lists;
  EXPECT_EQ(refusal([&] { set_option(lists, "times", "1, -2"); }),
            "option 'times': -2 is refused, it must be >= 0 and finite");
  EXPECT_EQ(refusal([&] { set_option(lists, "times", "1,,2"); }),
            "option 'times': '1,,2' is not a value of type list of reals");
  EXPECT_EQ(refusal([&] { set_option(lists, "atol_of", "x=0"); }),
            "option 'atol_of': x=0 is refused, it must be > 0 and finite");
  EXPECT_EQ(refusal([&] { set_option(lists, "atol_of", "x"); }),
            "option 'atol_of': 'x' is not a value of type list of name=real");
  lists.atol_of = {{"y", std::numeric_limits<double>::quiet_NaN()}};
  EXPECT_EQ(refusal([&] { validate_options(lists); }),
            "option 'atol_of': y=nan is refused, it must be > 0 and finite");
}

TEST(Options, ListWithOneNameTwiceIsOurBug) {
  EXPECT_THROW(validate_options(Twice{}), saltus::InternalError);
}

// Bounds of a text or a bool do not compile.
template <class T>
concept HasBounds = requires(saltus::OptionList::Line<T> line, T x) {
  line.at_least(x);
};
static_assert(HasBounds<double> && HasBounds<int>);
static_assert(!HasBounds<std::string> && !HasBounds<bool> && !HasBounds<Norm>);

}  // namespace options_test
