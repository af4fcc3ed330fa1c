// Runs the checks on a backend:
//
//   lightmetal_backend_check [--device NAME] [--gaps FILE] [--gtest_filter=...]
//
// kHelp says what the options are. FILE holds the gaps, as parse_gaps() reads them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "device/registry/registry.h"
#include "tests/backend_conformance/conformance.h"

namespace lightmetal::device::conformance {
namespace {

constexpr char kHelp[] = R"(Checks a backend.

Usage:
  lightmetal_backend_check [--device NAME] [--gaps FILE] [OPTIONS OF GOOGLETEST]

  --device NAME   the backend: cpu, null, the path of a library, or a name below LIGHTMETAL_DEVICE_PATH;
                  default: what LIGHTMETAL_DEVICE says, or cpu
  --gaps FILE     what the backend does not do: lines such as "Check Check ...: reason"

Exit codes: 0 all well, 1 a check failed, 2 nothing was checked.

)";

std::string backend_of_environment() {
  const char* name = std::getenv("LIGHTMETAL_DEVICE");
  return name == nullptr || *name == '\0' ? "cpu" : name;
}

struct Arguments {
  std::string backend = backend_of_environment();
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
  std::string text;
  for (std::string line; std::getline(file, line);) text += line + "\n";
  // A folder opens, and its first read fails.
  if (!file.is_open() || file.bad()) return absl::NotFoundError("cannot read " + path);
  return parse_gaps(text);
}

int fail(const absl::Status& status) {
  std::fprintf(stderr, "%s\n", std::string(status.message()).c_str());
  return 2;
}

int run(int argc, char** argv) {
  const auto arguments = parse(argc, argv);
  if (!arguments) {
    std::fputs(kHelp, stderr);
    return 2;
  }
  auto backend = load_backend(arguments->backend);
  if (!backend.ok()) return fail(backend.status());
  auto gaps = read_gaps(arguments->gaps_file);
  if (!gaps.ok()) return fail(gaps.status());
  const Subject subject{*std::move(backend), *std::move(gaps)};
  register_tests(subject);
  const int result = RUN_ALL_TESTS();
  const bool lists = GTEST_FLAG_GET(list_tests);
  if (lists || ::testing::UnitTest::GetInstance()->test_to_run_count() != 0) return result;
  return fail(absl::NotFoundError("no check fits the filter " + GTEST_FLAG_GET(filter)));
}

}  // namespace
}  // namespace lightmetal::device::conformance

int main(int argc, char** argv) {
  using lightmetal::device::conformance::kHelp;
  const bool asks_for_help = std::ranges::any_of(
      std::span(argv, static_cast<size_t>(argc)),
      [](std::string_view argument) { return argument == "--help" || argument == "-h"; });
  if (asks_for_help) std::fputs(kHelp, stdout);
  ::testing::InitGoogleTest(&argc, argv);  // prints GoogleTest's options where help is asked for
  if (asks_for_help) return 0;
  return lightmetal::device::conformance::run(argc, argv);
}
