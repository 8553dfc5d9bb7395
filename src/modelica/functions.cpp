// Functions, written out where they are called.
#include "modelica/translator.hpp"

namespace saltus::modelica {

std::vector<Tensor> Translator::inlined(ExprId id, const ClassDefinition& f) {
  refuse(e_[id].span, "the function '" + f.name + "' is called: functions are not supported yet");
}

}  // namespace saltus::modelica
