#include "runner/memory_limit.h"

#include "base/byte_size.h"

namespace lightmetal::runner {

void add_memory_limit_option(cxxopts::Options& options) {
  options.add_options()("memory-limit",
                        "Refuse a file whose calls make a replay hold more, such as 512M or 64G",
                        cxxopts::value<std::string>()->default_value("64G"), "SIZE");
}

uint64_t memory_limit(const cxxopts::ParseResult& arguments) {
  const std::string text = arguments["memory-limit"].as<std::string>();
  const auto size = parse_byte_size(text);
  if (!size.has_value()) {
    throw cxxopts::exceptions::parsing("--memory-limit is \"" + text +
                                       "\"; expected a size such as 512M or 64G");
  }
  return *size;
}

}  // namespace lightmetal::runner
