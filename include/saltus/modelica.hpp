// Models from text: flat Modelica and Base Modelica.
#pragma once

#include <saltus/modelica/diagnostic.hpp>
#include <saltus/modelica/measure.hpp>     // numbers computed from a whole run
#include <saltus/modelica/model_text.hpp>  // a text that can be read again with other values
#include <saltus/modelica/read.hpp>
