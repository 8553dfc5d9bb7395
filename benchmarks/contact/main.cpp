// Usage: saltus_bench_contact [item]...   (all items without arguments)
#include "contact/contact.hpp"
#include "support/items.hpp"

int main(int argc, char** argv) {
  using namespace saltus::bench;
  return show_items(
      argc, argv,
      {show_closed_forms, show_cradle, show_piles, show_random_contacts, show_beside_siconos});
}
