// Filters a grey or colour picture on the grid. Usage: image_filter [IN [OUT]] [--filter FILTER]
// [--check] [--capture FILE]; without a picture it draws one and checks what becomes of it.
#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <string>
#include <tt-metalium/distributed.hpp>

#include "examples/common/command_line.h"
#include "examples/image_filter/filter.h"
#include "examples/image_filter/filter_program.h"
#include "examples/image_filter/picture.h"

using namespace tt::tt_metal;

namespace {

using namespace example;
using namespace example::image;

cxxopts::Options make_options(const std::string& program) {
  cxxopts::Options options(program, "Filters a PGM or PPM picture\n");
  options.positional_help("[IN [OUT]]");
  options.add_options()(
      "filter",
      "blur3, blur5, sharpen, edge, or the weights of a kernel, as \"0 -1 0; -1 5 -1; 0 -1 0\"",
      cxxopts::value<std::string>()->default_value("blur3"),
      "FILTER")("check", "Compare with a reference on the host")(
      "in", "The picture; without one, 1000x700 pixels are drawn", cxxopts::value<std::string>(),
      "IN")("out", "Where the result goes", cxxopts::value<std::string>(), "OUT");
  options.parse_positional({"in", "out"});
  return options;
}

Picture filter(const Picture& picture, const Filter& filter) {
  auto mesh = distributed::MeshDevice::create_unit_mesh(0);
  Picture result = filter_on_device(*mesh, picture, filter);
  mesh->close();
  return result;
}

int largest_difference(const Picture& a, const Picture& b) {
  int largest = 0;
  for (size_t i = 0; i < a.samples.size(); ++i) {
    largest = std::max(largest, std::abs(a.samples[i] - b.samples[i]));
  }
  return largest;
}

// A sum that lies close to the middle between two integers may be rounded to either.
int check(const Picture& picture, const Filter& filter, const Picture& result) {
  const int difference = largest_difference(result, filter_on_host(picture, filter));
  std::cout << "image_filter: the largest difference from the reference is " << difference << "\n";
  return difference <= 1 ? EXIT_SUCCESS : EXIT_FAILURE;
}

int run(const cxxopts::ParseResult& arguments) {
  const std::string name = arguments["filter"].as<std::string>();
  const Filter chosen = parse_filter(name);
  const bool drawn = arguments.count("in") == 0;
  const Picture picture =
      drawn ? draw_picture(1000, 700, 1) : read_picture(arguments["in"].as<std::string>());
  const Picture result = filter(picture, chosen);
  std::cout << "image_filter: " << picture.width << "x" << picture.height << ", "
            << (picture.channels == 3 ? "colour" : "grey") << ", " << name << "\n";
  if (arguments.count("out")) write_picture(arguments["out"].as<std::string>(), result);
  return drawn || arguments.count("check") ? check(picture, chosen, result) : EXIT_SUCCESS;
}

}  // namespace

int main(int argc, char** argv) { return example::main(argc, argv, make_options(argv[0]), run); }
