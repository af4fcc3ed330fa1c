#include "runner/device_option.h"

namespace lightmetal::runner {

void add_device_option(cxxopts::Options& options) {
  options.add_options()(
      "device",
      "Replay on this backend: cpu, null or a library of another; default: the recorded one",
      cxxopts::value<std::string>(), "NAME");
}

std::string device_option(const cxxopts::ParseResult& arguments) {
  return arguments.count("device") == 0 ? "" : arguments["device"].as<std::string>();
}

}  // namespace lightmetal::runner
