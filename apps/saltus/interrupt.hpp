// Ctrl-C.
#pragma once

namespace saltus::app {

/// From now on the first SIGINT or SIGTERM only asks to stop; the second one ends the program as usual. A
/// closed pipe is an error of a write, not the end of the program.
void catch_interrupts();
bool interrupted();

}  // namespace saltus::app
