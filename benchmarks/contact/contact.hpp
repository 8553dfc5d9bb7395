// What contacts must show, item by item. Each function measures and prints its line.
#pragma once

namespace saltus::bench {

bool show_closed_forms(int item);  // 1: problems with known solutions
bool show_cradle(int item);        // 2: five balls in a row, with gaps and touching
bool show_piles(int item);         // 3: a stack and a pile with friction come to rest
bool show_random_contacts(
    int item);  // 4: random contact problems, every solution held against the laws
bool show_beside_siconos(int item);  // 5: error against work, ours and Siconos'

}  // namespace saltus::bench
