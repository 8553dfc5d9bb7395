#include "interrupt.hpp"

#include <signal.h>

namespace saltus::app {

namespace {

volatile sig_atomic_t asked_to_stop = 0;
void on_signal(int) { asked_to_stop = 1; }

}  // namespace

void catch_interrupts() {
  struct sigaction action = {};
  action.sa_handler = on_signal;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  struct sigaction ignore = {};
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &ignore, nullptr);
}

bool interrupted() { return asked_to_stop != 0; }

}  // namespace saltus::app
