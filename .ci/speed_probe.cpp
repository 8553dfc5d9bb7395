// A fixed amount of work for the compiler. `.ci/run` compiles this file beside every stage and compares the time
// with the one on the machine where the budgets were set. It includes nothing of this project, so that a change of
// the project cannot change it.
#include <algorithm>
#include <functional>
#include <iostream>
#include <map>
#include <numeric>
#include <random>
#include <string>
#include <unordered_map>
#include <vector>

int main(int count, char** words) {
  std::map<std::string, std::vector<int>> found;
  std::unordered_map<int, std::function<int(int)>> actions;
  std::mt19937 random(1);
  for (int i = 0; i < count; ++i) {
    found[words[i]].push_back(i);
    actions[i] = [i](int x) { return x + i; };
  }
  int sum = 0;
  for (auto& [name, places] : found) {
    std::shuffle(places.begin(), places.end(), random);
    std::sort(places.begin(), places.end(), std::greater<>());
    sum += std::accumulate(places.begin(), places.end(), 0, [&](int a, int b) { return actions[b](a); });
  }
  std::cout << sum << '\n';
}
