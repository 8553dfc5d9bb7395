// From the expression of a measure to programs.
#pragma once

#include <vector>

#include <saltus/modelica/measure.hpp>

#include "modelica/ast.hpp"
#include "modelica/symbols.hpp"
#include "modelica/translator.hpp"

namespace saltus::modelica {

class MeasureTranslation {
 public:
  MeasureTranslation(Translator& translator, const Expressions& expressions,
                     const SymbolTable& symbols, const Source& source);
  ~MeasureTranslation();
  MeasureTranslation(const MeasureTranslation&) = delete;
  MeasureTranslation& operator=(const MeasureTranslation&) = delete;

  Measure operator()(const MeasureText& text, ExprId expression);

 private:
  struct Found {
    Reduced reduced;
    NodeId from = none, to = none;
  };
  std::optional<Reduction> reduction_of(ExprId call) const;
  std::optional<Value> reduce(ExprId call);
  void read_times(ExprId call, Found& found);
  /// Refuses what has no single value over a run.
  void check_held(ExprId id) const;
  void check_no_events(ExprId id) const;
  NodeId held_number(ExprId id);
  std::vector<MeasureInput> inputs_of(std::span<const NodeId> nodes, InputSegment& segment) const;
  void compile_reduced(NodeId expression, Reduced& into) const;

  Translator& t_;
  const Expressions& e_;
  const SymbolTable& symbols_;
  const Source& source_;
  Graph& g_;
  bool is_inside_ = false;    // of a reduction: max(x) is the largest element of an array
  std::vector<Found> found_;  // of the measure that is being read
  std::uint32_t first_ = 0;   // number of the first of them
};

}  // namespace saltus::modelica
