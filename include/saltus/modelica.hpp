// Models from text: flat Modelica and Base Modelica.
#pragma once

#include <saltus/modelica/diagnostic.hpp>
#include <saltus/modelica/measure.hpp>     // numbers made of a whole run
#include <saltus/modelica/model_text.hpp>  // a text that is read again for other values
#include <saltus/modelica/read.hpp>
