#include "examples/common/example.h"

#include <cstdlib>
#include <exception>
#include <iostream>
#include <lightmetal/capture.hpp>
#include <tt-metalium/host_api.hpp>

#include "examples/common/command_line.h"

namespace example {

namespace {

constexpr int kUsageExitCode = 2;

using Run = std::function<int(const cxxopts::ParseResult&)>;

int run_captured(const std::string& file, const Run& run, const cxxopts::ParseResult& arguments) {
  LightMetalBeginCapture(lightmetal::CaptureOptions{.path = file, .read_goldens = true});
  const int code = run(arguments);
  LightMetalEndCapture();
  return code;
}

int parse_and_run(int argc, char** argv, cxxopts::Options& options, const Run& run) {
  const cxxopts::ParseResult arguments = options.parse(argc, argv);
  if (!arguments.unmatched().empty()) {
    throw UsageError("no argument is expected where \"" + arguments.unmatched().front() +
                     "\" is given; --help lists the options");
  }
  if (arguments.count("help")) {
    std::cout << options.help();
    return EXIT_SUCCESS;
  }
  return arguments.count("capture")
             ? run_captured(arguments["capture"].as<std::string>(), run, arguments)
             : run(arguments);
}

int report(const char* program, const std::exception& error, int code) {
  std::cerr << program << ": " << error.what() << "\n";
  return code;
}

}  // namespace

std::string kernel_path(const std::string& relative) {
  const char* folder = std::getenv("LIGHTMETAL_EXAMPLES");
  return std::string(folder ? folder : LIGHTMETAL_EXAMPLES_FOLDER) + "/" + relative;
}

int main(int argc, char** argv, int (*run)()) {
  return main(argc, argv, cxxopts::Options(argv[0]),
              [run](const cxxopts::ParseResult&) { return run(); });
}

int main(int argc, char** argv, cxxopts::Options options, const Run& run) {
  options.add_options()("capture", "Record the run into FILE", cxxopts::value<std::string>(),
                        "FILE")("h,help", "Print this text");
  try {
    return parse_and_run(argc, argv, options, run);
  } catch (const cxxopts::exceptions::exception& error) {
    return report(argv[0], error, kUsageExitCode);
  } catch (const UsageError& error) {
    return report(argv[0], error, kUsageExitCode);
  } catch (const std::exception& error) {
    return report(argv[0], error, EXIT_FAILURE);
  }
}

}  // namespace example
