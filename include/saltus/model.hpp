// Models: variables, parameters, inputs and equations, checked when they are built.
#pragma once

#include <saltus/model/attributes.hpp>
#include <saltus/model/contact.hpp>
#include <saltus/model/signal.hpp>
#include <saltus/model/outside_signal.hpp>
#include <saltus/model/definition.hpp>
#include <saltus/model/model.hpp>
#include <saltus/model/measure.hpp>
#include <saltus/model/mode_model.hpp>
#include <saltus/model/parameters_as_states.hpp>
#include <saltus/model/with_values.hpp>
