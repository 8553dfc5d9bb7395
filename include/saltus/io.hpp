#pragma once

// Result files and reports.

#include <saltus/io/csv.hpp>          // rows and events of a trajectory
#include <saltus/io/json.hpp>         // trajectory and report
#include <saltus/io/report.hpp>       // a page with plots and events
#include <saltus/io/result_file.hpp>  // content of HDF5, MAT and CSV files: written and read
#include <saltus/io/run_page.hpp>     // many runs as a page
#include <saltus/io/run_table.hpp>    // a row per run: HDF5, CSV
