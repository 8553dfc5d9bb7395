// A user's first program: includes everything, calls into the compiled library, prints one line.
#include <saltus/saltus.hpp>

#include <iostream>

int main() {
  std::cout << "saltus " << saltus::library_version() << '\n';
  return saltus::to_text(0.1) == "0.1" ? 0 : 1;
}
