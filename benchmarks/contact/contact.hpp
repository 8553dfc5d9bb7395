// What contacts must show, item by item. Each function measures and prints its line.
#pragma once

namespace saltus::bench {

bool show_random_contacts(
    int item);  // 4: random contact problems, every solution held against the laws
bool show_beside_siconos(int item);  // 5: error against work, ours and Siconos'

}  // namespace saltus::bench
