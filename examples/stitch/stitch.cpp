// Runs captured programs one behind the other on one device: the outputs of each are the inputs of
// the next and stay on the device. Then runs them again with a way over the host between them,
// and compares. Usage: stitch FILE FILE... [--output FILE]
#include <cstdint>
#include <cstdlib>
#include <cxxopts.hpp>
#include <exception>
#include <fstream>
#include <iostream>
#include <lightmetal/runtime.hpp>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace lightmetal::runtime;

using Tensors = std::vector<Tensor>;
using Values = std::vector<std::vector<char>>;  // of each tensor

void check(const absl::Status& status) {
  if (!status.ok()) throw std::runtime_error(std::string(status.message()));
}

template <class Value>
Value value_of(absl::StatusOr<Value> result) {
  check(result.status());
  return *std::move(result);
}

// The captured programs on one device.
class Chain {
 public:
  explicit Chain(const std::vector<std::string>& files)
      : device_(value_of(Device::open_file(files.at(0)))) {
    for (const std::string& file : files) executables_.push_back(value_of(device_.load_file(file)));
  }

  Stats stats() const { return device_.stats(); }

  // Run the first entry of each, and wait. The first one has the inputs that were recorded.
  Tensors run() const {
    return run([](Tensors tensors) { return tensors; });
  }
  Tensors run_over_the_host() const {
    return run([](Tensors tensors) {
      for (Tensor& tensor : tensors) tensor = value_of(toHost(tensor));
      return tensors;
    });
  }

 private:
  Tensors outputs_of(const lightmetal::Executable& executable) const {
    Tensors outputs;
    for (const lightmetal::BoundTensor& tensor : executable.tensors()) {
      if (tensor.is_output())
        outputs.push_back(value_of(allocateOutputTensor(device_, executable, outputs.size())));
    }
    return outputs;
  }

  template <class Between>
  Tensors run(Between between) const {
    Tensors tensors;
    Event last;
    for (const auto& executable : executables_) {
      const Tensors inputs = between(std::move(tensors));
      tensors = outputs_of(*executable);
      last = submit(device_, executable, executable->entries().at(0), inputs, tensors);
    }
    check(wait(last));
    return tensors;
  }

  const Device device_;
  std::vector<std::shared_ptr<lightmetal::Executable>> executables_;
};

Values values_of(const Tensors& tensors) {
  Values values;
  for (const Tensor& tensor : tensors) {
    size_t size = lightmetal::element_size(tensor.layout().type());
    for (const uint32_t dimension : tensor.shape()) size *= dimension;
    values.emplace_back(size);
    check(lightmetal::runtime::memcpy(values.back().data(), tensor));
  }
  return values;
}

uint64_t bytes_over_the_host(const Stats& stats) {
  return stats.host_to_device_bytes + stats.device_to_host_bytes;
}

void write(const std::string& path, const Values& values) {
  std::ofstream file(path, std::ios::binary);
  for (const std::vector<char>& tensor : values)
    file.write(tensor.data(), static_cast<std::streamsize>(tensor.size()));
  if (!file.flush()) throw std::runtime_error("cannot write " + path);
}

int run(const std::vector<std::string>& files, const std::string& output) {
  const Chain chain(files);
  const Stats before = chain.stats();
  const Tensors results = chain.run();
  const uint64_t bytes = bytes_over_the_host(chain.stats()) - bytes_over_the_host(before);
  const Values stitched = values_of(results);
  if (!output.empty()) write(output, stitched);

  const bool equal = stitched == values_of(chain.run_over_the_host());
  std::cout << "stitch: " << files.size() << " programs, " << bytes
            << " bytes over the host between them, " << (equal ? "equal" : "NOT equal")
            << " to the result over the host\n";
  return equal ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace

int main(int argc, char** argv) {
  cxxopts::Options options(argv[0], "Runs captured programs one behind the other\n");
  options.positional_help("FILE FILE...")
      .add_options()("files", "", cxxopts::value<std::vector<std::string>>())(
          "output", "Where the result goes, as bytes",
          cxxopts::value<std::string>()->default_value(""), "FILE")("help", "This text");
  options.parse_positional("files");
  try {
    const cxxopts::ParseResult arguments = options.parse(argc, argv);
    if (arguments.count("help") == 0 && arguments.count("files") != 0) {
      return run(arguments["files"].as<std::vector<std::string>>(),
                 arguments["output"].as<std::string>());
    }
    (arguments.count("help") != 0 ? std::cout : std::cerr) << options.help();
    return arguments.count("help") != 0 ? EXIT_SUCCESS : 2;
  } catch (const cxxopts::exceptions::exception& error) {
    std::cerr << "stitch: " << error.what() << "\n";
    return 2;
  } catch (const std::exception& error) {
    std::cerr << "stitch: " << error.what() << "\n";
    return EXIT_FAILURE;
  }
}
