// Models from text: flat Modelica and Base Modelica.
#pragma once

#include <saltus/modelica/diagnostic.hpp>
#include <saltus/modelica/read.hpp>
