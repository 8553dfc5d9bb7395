#pragma once

// Number types and numerical tools for all other parts.
//
//   scalar     sqr and integer powers, one fixed order of operations
//   interval   outward-rounded intervals
//   quad       113-bit floating point
//   batch      eight doubles at once
//   dual       a value with its slopes in some directions
//   taylor     truncated Taylor series over any of them
//   taylor_number  the same with operators
//   bernstein  polynomials on [0, 1]: ranges, splits, sign changes
//   sparse     compressed sparse columns
//   matrix     dense matrices of results
//   norms      the weighted norm of tolerances
//   signed_logarithm  numbers as large or small as determinants
//   lemke      linear complementarity problems
//   least_squares  the smallest |A x - b|
//   linear_solver  LU factors, dense or sparse, real or complex

#include <saltus/numerics/batch.hpp>
#include <saltus/numerics/bernstein.hpp>
#include <saltus/numerics/dual.hpp>
#include <saltus/numerics/interval.hpp>
#include <saltus/numerics/least_squares.hpp>
#include <saltus/numerics/lemke.hpp>
#include <saltus/numerics/linear_solver.hpp>
#include <saltus/numerics/matrix.hpp>
#include <saltus/numerics/norms.hpp>
#include <saltus/numerics/quad.hpp>
#include <saltus/numerics/scalar.hpp>
#include <saltus/numerics/signed_logarithm.hpp>
#include <saltus/numerics/sparse.hpp>
#include <saltus/numerics/taylor.hpp>
#include <saltus/numerics/taylor_number.hpp>
