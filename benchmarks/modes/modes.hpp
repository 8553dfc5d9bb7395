// What models with modes must show, item by item. Each function measures and prints its line.
#pragma once

namespace saltus::bench {

bool show_converters(
    int item);  // 1: a converter as four modes, wrong candidates rejected by impulses
bool show_closed_forms(
    int item);  // 2: ropes, capacitors, clutch, sliders, rectifiers, a ball at rest
bool show_class_changes(int item);  // 3: what may jump is predicted, and is what jumps
bool show_random_modes(int item);   // 4: random switched linear DAEs beside their exact solutions
bool show_mode_work(int item);      // 6: work beside an oracle; modes are analysed once
bool show_many_modes(int item);     // 7: only modes that are visited are analysed

// 5 are tests named after users' complaints: tools/topics/modes runs them.

}  // namespace saltus::bench
