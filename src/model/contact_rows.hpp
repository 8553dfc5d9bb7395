// Contacts as equations, discrete variables and when-clauses.
#pragma once

#include <saltus/model/definition.hpp>

namespace saltus::detail {

/// Adds to a model, whose graph can still grow, what its contacts stand for. Refuses (ModelError) gaps whose rate
/// does not follow from the equations.
class ContactCompletion {
 public:
  ContactCompletion(ModelDefinition& model, Graph& graph) : model_(model), g_(graph) {}
  void operator()();

 private:
  struct Velocity {
    Input derivative;  // der(q)
    NodeId value = none;
  };
  void find_velocities();
  NodeId with_velocities(NodeId node);
  NodeId differentiated(NodeId node);
  void check_motion(const ContactDefinition& contact, NodeId rate, const std::string& what) const;
  std::uint32_t add_discrete(const std::string& name, std::uint32_t count, double start);
  NodeId discrete(std::uint32_t number) { return g_.input(InputKind::discrete, number); }
  void add_row(const std::string& name, std::uint32_t row, NodeId acceleration, NodeId slipping);
  void add_rows();
  Literal becomes_negative(const std::string& name, NodeId off, NodeId value);
  void add_clauses();
  std::vector<Assignment> assignments() const;

  ModelDefinition& model_;
  Graph& g_;
  std::vector<Velocity> velocities_;
  std::vector<NodeId> force_;
};

}  // namespace saltus::detail
