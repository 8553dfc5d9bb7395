// Residuals of the engine models as plain C++, behind a call the optimiser cannot see through.
#pragma once

#include "support/engine_models.hpp"

namespace saltus::hand_written {

void residual(const engine_models::Relay& m, const engine_models::Point& x, double* f);
void residual(const engine_models::Ladder& m, const engine_models::Point& x, double* f);
void residual(const engine_models::Diffusion& m, const engine_models::Point& x, double* f);
void residual(const engine_models::Friction& m, const engine_models::Point& x, double* f);

}  // namespace saltus::hand_written
