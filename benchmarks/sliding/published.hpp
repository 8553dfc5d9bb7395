// What others report of these problems.
#pragma once

#include <cstddef>

namespace saltus::bench {

/// A row of a table of DISODE45 (Calvo, Montijano, Randez): one tolerance.
struct DisodeRow {
  double tolerance;
  double n_evaluations;  // of the field
  double time_error;     // largest at an event
  double state_error;    // largest at an event, Euclidean norm
  double end_error;      // Euclidean norm
};

inline constexpr std::size_t n_disode_rows = 7;

inline constexpr DisodeRow disode_table_1[n_disode_rows] = {
    {1e-3, 940, 2.3e-1, 5.8e-2, 7.4e-2},  {1e-4, 1010, 2.9e-3, 1.4e-3, 7.9e-4},
    {1e-5, 1218, 5.1e-4, 1.9e-5, 1.5e-4}, {1e-6, 1410, 6.6e-5, 3.6e-6, 1.9e-5},
    {1e-7, 1660, 5.6e-6, 4.2e-7, 1.7e-6}, {1e-8, 2220, 4.4e-7, 3.8e-8, 1.3e-7},
    {1e-9, 2980, 3.8e-8, 3.7e-9, 1.1e-8}};
inline constexpr DisodeRow disode_table_2[n_disode_rows] = {
    {1e-3, 1065, 2.2e-4, 8.2e-4, 3.0e-4}, {1e-4, 1118, 1.1e-4, 7.5e-5, 1.8e-4},
    {1e-5, 1243, 2.4e-5, 6.0e-5, 2.7e-5}, {1e-6, 1666, 8.9e-6, 2.5e-5, 1.0e-5},
    {1e-7, 2280, 9.2e-7, 2.7e-6, 1.1e-6}, {1e-8, 3268, 8.6e-8, 2.5e-7, 6.6e-8},
    {1e-9, 4657, 8.0e-9, 2.3e-8, 8.6e-9}};
/// Half of the sliding intervals that there are.
inline constexpr DisodeRow disode_table_3[n_disode_rows] = {
    {1e-3, 3826, 8.1e-3, 2.1e-2, 9.1e-3}, {1e-4, 4420, 1.4e-3, 1.7e-3, 2.8e-3},
    {1e-5, 4964, 3.2e-4, 6.7e-4, 6.3e-4}, {1e-6, 5075, 4.3e-5, 9.7e-5, 5.6e-5},
    {1e-7, 6694, 4.1e-6, 1.1e-5, 3.4e-6}, {1e-8, 8798, 4.8e-7, 1.1e-6, 1.8e-7},
    {1e-9, 11092, 4.9e-8, 1.3e-7, 6.7e-9}};
inline constexpr DisodeRow disode_table_4[n_disode_rows] = {
    {1e-3, 824, 3.3e-3, 4.1e-4, 3.5e-4},  {1e-4, 791, 2.3e-3, 2.2e-4, 2.1e-4},
    {1e-5, 874, 5.5e-4, 5.4e-5, 5.4e-5},  {1e-6, 1190, 9.1e-5, 8.9e-6, 8.9e-6},
    {1e-7, 1577, 1.2e-5, 1.2e-6, 1.2e-6}, {1e-8, 2098, 1.4e-6, 1.4e-7, 1.4e-7},
    {1e-9, 2729, 1.5e-7, 1.5e-8, 1.5e-8}};

/// Steps that GESDA (Wunderlich) needs at 1e-8, with its sliding modes and without.
inline constexpr double gesda_two_bodies = 4737, gesda_belt = 9276,
                        gesda_two_bodies_chattering = 8209, gesda_belt_chattering = 272864;

}  // namespace saltus::bench
