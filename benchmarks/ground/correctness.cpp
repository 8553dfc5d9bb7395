#include "ground.hpp"
namespace saltus::bench {
bool show_correctness(int) { return true; }
bool show_threads(int) { return true; }
bool show_lock_flip(int) { return true; }
}  // namespace saltus::bench
