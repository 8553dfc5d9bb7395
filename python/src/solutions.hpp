// What the sources about solutions share.
#pragma once

#include <pybind11/numpy.h>

#include <span>
#include <string>

#include <saltus/trajectory/solution.hpp>

#include "bindings.hpp"

namespace saltus::python {

using Numbers = py::array_t<double, py::array::c_style | py::array::forcecast>;

Side side_of(const std::string& name);
/// An array that cannot be written to; it keeps its owner alive.
py::array view_of(std::span<const double> values, const py::object& owner);
void add_derivatives(py::class_<Solution, std::shared_ptr<Solution>>& c);

}  // namespace saltus::python
