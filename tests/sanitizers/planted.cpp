// One error of each kind, chosen by the argument: the sanitizer of this tree must report it.
#include <climits>
#include <string_view>
#include <thread>

namespace {

int use_after_free() {
  int* const p = new int(3);
  delete p;
  return *const_cast<volatile int*>(p);
}

int overflow(int argc) { return INT_MAX - 1 + argc; }

int race() {
  int shared = 0;
  std::thread other([&shared] { shared = 1; });
  shared = 2;
  other.join();
  return shared;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view kind = argc > 1 ? argv[1] : "";
  if (kind == "address") return use_after_free();
  if (kind == "undefined") return overflow(argc);
  if (kind == "thread") return race();
  return 0;
}
