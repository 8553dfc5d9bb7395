// Parts that switch: contacts, friction, diodes, switches.
#include <pybind11/stl.h>

#include "bindings.hpp"

namespace saltus::python {

namespace {

NodeId friction(ModelBuilder& m, const std::string& name, NodeId slip, NodeId normal_force,
                NodeId mu_kinetic, std::optional<NodeId> mu_static) {
  FrictionOptions options{.mu_kinetic = m.value(mu_kinetic)};
  if (mu_static) options.mu_static = m.value(*mu_static);
  return m.change()
      .friction(name, m.value(slip), m.value(normal_force), std::move(options))
      .in(m.graph());
}

}  // namespace

void add_blocks(BuilderClass& builder) {
  builder.def("unilateral", [](ModelBuilder& m, const std::string& name, NodeId gap,
                               NodeId restitution, double rest_velocity) {
    return m.change()
        .unilateral(name, m.value(gap),
                    {.restitution = m.value(restitution), .rest_velocity = rest_velocity})
        .in(m.graph());
  });
  builder.def("joint", [](ModelBuilder& m, const std::string& name, NodeId gap) {
    return m.change().joint(name, m.value(gap)).in(m.graph());
  });
  builder.def("friction", friction);
  builder.def("simultaneous_impacts", [](ModelBuilder& m, const std::string& law) {
    m.change().simultaneous_impacts(law == "all_at_once"  ? ImpactLaw::all_at_once
                                    : law == "one_by_one" ? ImpactLaw::one_by_one
                                                          : ImpactLaw::refuse_ambiguous);
  });
  builder.def("diode",
              [](ModelBuilder& m, const std::string& name, NodeId voltage, NodeId current) {
                m.change().diode(name, m.value(voltage), m.value(current));
              });
  builder.def("ideal_switch", [](ModelBuilder& m, const std::string& name, NodeId voltage,
                                 NodeId current, Literal closed) {
    m.change().ideal_switch(name, m.value(voltage), m.value(current), m.condition(closed));
  });
  builder.def("thyristor", [](ModelBuilder& m, const std::string& name, NodeId voltage,
                              NodeId current, Literal gate) {
    m.change().thyristor(name, m.value(voltage), m.value(current), m.condition(gate));
  });
}

}  // namespace saltus::python
