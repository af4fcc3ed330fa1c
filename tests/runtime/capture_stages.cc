// Captures a program of stages in a process of its own, and prints the words of its result. Usage:
//   capture_stages FILE [--trace] X FACTOR:W...
// The numbers are those of Stage; for W "in", the weight is an input.
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/runtime/stage_capture.h"

namespace lightmetal::testing {
namespace {

uint32_t number_of(const std::string& text) { return static_cast<uint32_t>(std::stoul(text)); }

Stage stage_of(const std::string& text) {
  const size_t colon = text.find(':');
  if (colon == text.npos) throw std::runtime_error("a stage is FACTOR:W, and not " + text);
  const std::string weight = text.substr(colon + 1);
  const uint32_t factor = number_of(text.substr(0, colon));
  if (weight == "in") return {.factor = factor, .weight = 0, .takes_weight = true};
  return {.factor = factor, .weight = number_of(weight), .takes_weight = false};
}

void run(std::vector<std::string> arguments) {
  const StageForm form =
      std::erase(arguments, "--trace") != 0 ? StageForm::kTraced : StageForm::kLaunched;
  if (arguments.size() < 3) throw std::runtime_error("FILE, X and stages are expected");
  std::vector<Stage> stages;
  for (size_t i = 2; i < arguments.size(); ++i) stages.push_back(stage_of(arguments[i]));
  for (const uint32_t word : capture_stages(arguments[0], number_of(arguments[1]), stages, form))
    std::cout << word << "\n";
}

}  // namespace
}  // namespace lightmetal::testing

int main(int argc, char** argv) {
  try {
    lightmetal::testing::run({argv + 1, argv + argc});
    return EXIT_SUCCESS;
  } catch (const std::exception& error) {
    std::cerr << "capture_stages: " << error.what() << "\n";
    return EXIT_FAILURE;
  }
}
