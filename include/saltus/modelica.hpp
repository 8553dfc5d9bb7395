// Models from text: flat Modelica and Base Modelica.
#pragma once

#include <saltus/modelica/diagnostic.hpp>
#include <saltus/modelica/measure.hpp>  // numbers made of a whole run
#include <saltus/modelica/read.hpp>
