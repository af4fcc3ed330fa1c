// Loads a captured program once and answers requests with it, each with values of its own, as a
// server does; and tells how long they take. It links liblightmetal.so and nothing else of Light
// Metal. Usage: serve FILE [--entry NAME] [--requests N] [--backend NAME]
#include <lightmetal.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <cxxopts.hpp>
#include <exception>
#include <iostream>
#include <map>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;
using Executable = std::unique_ptr<lm_executable, decltype(&lm_free_executable)>;

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

// The error is taken by reference, since the call that gives the status fills it.
void check(lm_status status, lm_error* const& error) {
  if (status == LM_OK) return;
  const std::string message = lm_error_message(error);
  lm_free_error(error);
  throw std::runtime_error(message);
}

Executable load(const std::string& file, const std::string& backend) {
  lm_load_options options = {};
  options.struct_size = sizeof(options);
  options.backend = backend.c_str();
  lm_executable* executable = nullptr;
  lm_error* error = nullptr;
  check(lm_load_file(file.c_str(), &options, &executable, &error), error);
  return Executable(executable, lm_free_executable);
}

std::vector<lm_tensor> tensors_of(const lm_executable* executable) {
  std::vector<lm_tensor> tensors(lm_tensor_count(executable));
  for (size_t i = 0; i < tensors.size(); ++i)
    check(lm_get_tensor(executable, i, &tensors[i], nullptr), nullptr);
  return tensors;
}

// Values of the tensor's type between -1 and 1, or 0 and 100 where they are integers.
void draw(const lm_tensor& tensor, std::mt19937& random, std::vector<std::byte>& values) {
  std::uniform_real_distribution<float> real(-1, 1);
  std::uniform_int_distribution<uint32_t> integer(0, 100);
  const auto fill = [&](size_t size, auto&& bits_of_next) {
    for (uint64_t at = 0; at < values.size(); at += size) {
      const uint32_t bits = bits_of_next();
      std::memcpy(&values[at], &bits, size);
    }
  };
  const auto next_real = [&] {
    const float value = real(random);
    uint32_t bits;
    std::memcpy(&bits, &value, sizeof(bits));
    return bits;
  };
  switch (tensor.dtype) {
    case LM_FLOAT32:
      return fill(4, next_real);
    case LM_BFLOAT16:
      return fill(2, [&] { return next_real() >> 16; });
    case LM_UINT8:
      return fill(1, [&] { return integer(random); });
    case LM_UINT16:
      return fill(2, [&] { return integer(random); });
    default:
      return fill(4, [&] { return integer(random); });
  }
}

// One program with memory for its inputs and outputs, which all requests use.
class Server {
 public:
  Server(lm_executable* executable, const std::string& entry)
      : executable_(executable), entry_(entry), tensors_(tensors_of(executable)) {
    for (const lm_tensor& tensor : tensors_) {
      if (tensor.role == LM_INPUT) inputs_.push_back(room<lm_input>(tensor));
      if (tensor.role == LM_OUTPUT || tensor.role == LM_IN_OUT)
        outputs_.push_back(room<lm_output>(tensor));
      keeps_state_ = keeps_state_ || tensor.role == LM_IN_OUT;
    }
  }

  // The inputs follow from the number alone.
  void prepare(uint32_t number) {
    std::mt19937 random(number);
    for (const lm_tensor& tensor : tensors_) {
      if (tensor.role == LM_INPUT) draw(tensor, random, memory_.at(tensor.name));
    }
  }
  void run() {
    lm_error* error = nullptr;
    check(lm_run(executable_, entry_.empty() ? nullptr : entry_.c_str(), inputs_.data(),
                 inputs_.size(), outputs_.data(), outputs_.size(), &error),
          error);
  }
  std::vector<std::byte> answer() const {
    std::vector<std::byte> all;
    for (const lm_output& output : outputs_) {
      const std::vector<std::byte>& values = memory_.at(output.name);
      all.insert(all.end(), values.begin(), values.end());
    }
    return all;
  }
  // True where an answer depends on the requests before it.
  bool keeps_state() const { return keeps_state_; }

 private:
  template <class Values>
  Values room(const lm_tensor& tensor) {
    std::vector<std::byte>& memory = memory_[tensor.name];
    memory.resize(tensor.size);
    return {tensor.name, tensor.dtype, tensor.shape, tensor.rank, memory.data(), memory.size()};
  }

  lm_executable* const executable_;
  const std::string entry_;
  const std::vector<lm_tensor> tensors_;
  std::map<std::string, std::vector<std::byte>> memory_;  // by tensor
  std::vector<lm_input> inputs_;
  std::vector<lm_output> outputs_;
  bool keeps_state_ = false;
};

// Milliseconds of each request, without what draws its values.
std::vector<double> serve(Server& server, uint32_t requests) {
  std::vector<double> times;
  for (uint32_t number = 0; number < requests; ++number) {
    server.prepare(number);
    const Clock::time_point start = Clock::now();
    server.run();
    times.push_back(milliseconds_since(start));
  }
  return times;
}

void print_times(std::vector<double> times) {
  std::cout << times.size() << " requests: the first took " << times.front() << " ms";
  std::sort(times.begin(), times.end());
  double sum = 0;
  for (const double time : times) sum += time;
  const auto at = [&](double part) {
    return times[static_cast<size_t>(part * (times.size() - 1))];
  };
  std::cout << ", half at most " << at(0.5) << " ms, 99 % at most " << at(0.99) << " ms; "
            << 1000 * times.size() / sum << " a second\n";
}

int run(const cxxopts::ParseResult& arguments) {
  const std::string file = arguments["file"].as<std::string>();
  const auto requests = arguments["requests"].as<uint32_t>();
  const Clock::time_point start = Clock::now();
  const Executable executable = load(file, arguments["backend"].as<std::string>());
  Server server(executable.get(), arguments["entry"].as<std::string>());
  std::cout << "serve: " << file << " is loaded, in " << milliseconds_since(start) << " ms\n";
  if (requests == 0) return EXIT_SUCCESS;

  server.prepare(0);
  server.run();
  const std::vector<std::byte> first = server.answer();
  print_times(serve(server, requests));
  server.prepare(0);
  server.run();
  if (server.keeps_state() || server.answer() == first) return EXIT_SUCCESS;
  std::cerr << "serve: the first request is answered otherwise when it comes again\n";
  return EXIT_FAILURE;
}

}  // namespace

int main(int argc, char** argv) {
  cxxopts::Options options(argv[0], "Answers requests with a captured program\n");
  const auto text = [] { return cxxopts::value<std::string>()->default_value(""); };
  options.positional_help("FILE").add_options()("file", "", cxxopts::value<std::string>())(
      "entry", "What is run; the only entry where there is one", text(), "NAME")(
      "requests", "How many", cxxopts::value<uint32_t>()->default_value("1000"), "N")(
      "backend", "What runs it; the recorded one without", text(), "NAME")("help", "This text");
  options.parse_positional("file");
  try {
    const cxxopts::ParseResult arguments = options.parse(argc, argv);
    if (arguments.count("help") == 0 && arguments.count("file") != 0) return run(arguments);
    (arguments.count("help") != 0 ? std::cout : std::cerr) << options.help();
    return arguments.count("help") != 0 ? EXIT_SUCCESS : 2;
  } catch (const cxxopts::exceptions::exception& error) {
    std::cerr << "serve: " << error.what() << "\n";
    return 2;
  } catch (const std::exception& error) {
    std::cerr << "serve: " << error.what() << "\n";
    return EXIT_FAILURE;
  }
}
