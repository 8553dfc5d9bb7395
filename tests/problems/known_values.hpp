// Models with the characteristic values they must be found to have.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <saltus/reduce.hpp>

#include "problems/index_models.hpp"
#include "problems/second_order_models.hpp"

namespace saltus::problems {

struct KnownValues {
  std::string name;
  std::function<void(Model&)> write;
  CharacteristicValues expected;
  /// As a system of second order, where that is of interest.
  std::optional<SecondOrderValues> second_order = std::nullopt;
  double t = 0.3;
};

inline std::vector<KnownValues> models_of_known_values() {
  std::vector<KnownValues> models = {
      {"pendulum",
       [](Model& m) { write_pendulum(m); },
       {2, 2, 3, 0, 0},
       SecondOrderValues{3, 0, 2, 1, 0, 0}},
      {"pendulum, constraint twice", [](Model& m) { write_pendulum(m, 2.0); }, {2, 2, 3, 1, 1}},
      {"pendulum, second order",
       write_second_order_pendulum,
       {2, 2, 3, 0, 0},
       SecondOrderValues{3, 0, 2, 1, 0, 0}},
      {"body on three rods", write_rods, {2, 2, 6, 1, 1}, SecondOrderValues{3, 0, 2, 3, 1, 1}},
      {"chain of five, varying in time", write_chain, {4, 2, 5, 0, 0}},
  };
  for (const int mode : {1, 2, 3, 4}) {
    const CharacteristicValues expected =
        mode <= 2 ? CharacteristicValues{0, 2, 5, 0, 0} : CharacteristicValues{1, 1, 6, 0, 0};
    const std::string name = "boost converter, mode " + std::to_string(mode);
    models.push_back({name, [mode](Model& m) { write_boost_converter(m, mode); }, expected});
    models.push_back({name + ", pF and nH",
                      [mode](Model& m) {
                        write_boost_converter(m, mode, {1e-12, 1e-9, 1e6});
                      },
                      expected});
  }
  const std::vector<KnownValues> others = {
      // The report is right; the thesis says d = 4, a = 1.
      {"bodies that stick (GESDA)",
       write_sticking_bodies,
       {1, 3, 2, 0, 0},
       SecondOrderValues{1, 1, 1, 1, 0, 0}},
      // The thesis says mu = 1.
      {"sliding, surface with x2", write_sliding_on_an_algebraic_surface, {0, 1, 2, 0, 0}},
      {"more equations than unknowns", write_more_equations_than_unknowns, {1, 0, 2, 1, 0}},
      {"more unknowns than equations", write_more_unknowns_than_equations, {1, 0, 2, 0, 1}},
      {"bowed string, 10 cells, free",
       [](Model& m) { write_bowed_string(m, 10, false); },
       {2, 20, 6, 0, 0},
       SecondOrderValues{2, 10, 0, 4, 0, 0}},
      // The thesis states (2, 2N, 7); v_c = v_b and its derivative are two algebraic equations, which
      // leaves 2N - 1 differential ones.
      {"bowed string, 10 cells, sticking",
       [](Model& m) { write_bowed_string(m, 10, true); },
       {2, 19, 8, 0, 0},
       SecondOrderValues{2, 9, 1, 5, 0, 0}},
      {"example 3.1", write_example_3_1, {2, 0, 3, 0, 0}, SecondOrderValues{2, 0, 0, 2, 0, 0}},
      {"example 3.1, companion form",
       write_companion_3_1,
       {3, 0, 4, 0, 0},
       SecondOrderValues{2, 0, 0, 2, 0, 0}},
      {"example 3.23, trimmed",
       write_trimmed_3_23,
       {2, 2, 3, 0, 0},
       SecondOrderValues{2, 1, 0, 2, 0, 0}},
      {"example 3.23 (companion form)",
       write_example_3_23,
       {3, 2, 4, 0, 0},
       SecondOrderValues{2, 1, 0, 2, 0, 0}},
      {"example 3.32", write_example_3_32, {1, 2, 2, 0, 0}, SecondOrderValues{1, 1, 0, 2, 0, 0}},
  };
  models.insert(models.end(), others.begin(), others.end());
  return models;
}

}  // namespace saltus::problems
