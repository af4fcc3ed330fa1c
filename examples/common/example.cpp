#include "examples/common/example.h"

#include <cstdlib>
#include <cxxopts.hpp>
#include <exception>
#include <iostream>
#include <lightmetal/capture.hpp>
#include <tt-metalium/host_api.hpp>

namespace example {

using namespace tt::tt_metal;

std::string kernel_path(const std::string& relative) {
  const char* folder = std::getenv("LIGHTMETAL_EXAMPLES");
  return std::string(folder ? folder : LIGHTMETAL_EXAMPLES_FOLDER) + "/" + relative;
}

namespace {

int run_captured(const std::string& file, int (*run)()) {
  LightMetalBeginCapture(lightmetal::CaptureOptions{.path = file, .read_goldens = true});
  const int code = run();
  LightMetalEndCapture();
  return code;
}

}  // namespace

int main(int argc, char** argv, int (*run)()) {
  cxxopts::Options options(argv[0]);
  options.add_options()("capture", "Record the run into FILE", cxxopts::value<std::string>(),
                        "FILE")("h,help", "Print this text");
  try {
    const cxxopts::ParseResult arguments = options.parse(argc, argv);
    if (arguments.count("help")) {
      std::cout << options.help();
      return EXIT_SUCCESS;
    }
    return arguments.count("capture") ? run_captured(arguments["capture"].as<std::string>(), run)
                                      : run();
  } catch (const std::exception& error) {
    std::cerr << argv[0] << ": " << error.what() << "\n";
    return EXIT_FAILURE;
  }
}

}  // namespace example
