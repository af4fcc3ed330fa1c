// Runs the checks on a backend:
//
//   lightmetal_backend_check [--device NAME] [--gaps FILE] [--gtest_filter=...]
//
// NAME is as LIGHTMETAL_DEVICE has it: a built-in backend, the path of a library, or a name below
// LIGHTMETAL_DEVICE_PATH. FILE holds the gaps, as parse_gaps() reads them.
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <utility>

#include "device/registry/registry.h"
#include "tests/backend_conformance/conformance.h"

namespace lightmetal::device::conformance {
namespace {

struct Arguments {
  std::string backend = "cpu";
  std::string gaps_file;
};

// What this run looks at.
struct Subject {
  std::string backend;
  Gaps gaps;
};

class CheckTest : public ::testing::Test {
 public:
  CheckTest(const Check& check, const Subject& subject) : check_(check), subject_(subject) {}

  void TestBody() override {
    const Open open = [this](const DeviceOptions& options) {
      return open_device(subject_.backend, options);
    };
    const std::string wrong = verdict(check_, failures_of(check_, open), subject_.gaps);
    if (!wrong.empty()) ADD_FAILURE() << wrong;
  }

 private:
  const Check check_;
  const Subject& subject_;
};

void register_tests(const Subject& subject) {
  for (const Check& check : checks()) {
    ::testing::RegisterTest(
        "Conformance", check.name, nullptr, nullptr, __FILE__, __LINE__,
        [check, &subject]() -> ::testing::Test* { return new CheckTest(check, subject); });
  }
}

std::optional<Arguments> parse(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i < argc; i += 2) {
    const std::string option = argv[i];
    if (i + 1 == argc || (option != "--device" && option != "--gaps")) return std::nullopt;
    (option == "--device" ? arguments.backend : arguments.gaps_file) = argv[i + 1];
  }
  return arguments;
}

absl::StatusOr<Gaps> read_gaps(const std::string& path) {
  if (path.empty()) return Gaps{};
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  if (file.fail()) return absl::NotFoundError("cannot read " + path);
  return parse_gaps(text.str());
}

int fail(const absl::Status& status) {
  std::fprintf(stderr, "%s\n", std::string(status.message()).c_str());
  return 2;
}

int run(int argc, char** argv) {
  const auto arguments = parse(argc, argv);
  if (!arguments) {
    std::fputs("usage: lightmetal_backend_check [--device NAME] [--gaps FILE] [GoogleTest's]\n",
               stderr);
    return 2;
  }
  auto backend = load_backend(arguments->backend);
  if (!backend.ok()) return fail(backend.status());
  auto gaps = read_gaps(arguments->gaps_file);
  if (!gaps.ok()) return fail(gaps.status());
  const Subject subject{*std::move(backend), *std::move(gaps)};
  register_tests(subject);
  return RUN_ALL_TESTS();
}

}  // namespace
}  // namespace lightmetal::device::conformance

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  return lightmetal::device::conformance::run(argc, argv);
}
