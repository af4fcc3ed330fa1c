#include "tests/random_programs/forms.h"

#include <cstdlib>
#include <fstream>
#include <lightmetal/replay.hpp>
#include <lightmetal/trim.hpp>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "replay/optimize.h"
#include "schema/diff/relocate.h"
#include "schema/file/reader.h"
#include "schema/lines/read_lines.h"
#include "schema/lines/write_lines.h"
#include "schema/storage/memory_sink.h"
#include "tests/random_programs/program_host.h"
#include "tests/support/process.h"

namespace random_programs {
namespace {

namespace schema = lightmetal::schema;

using FilePointer = std::shared_ptr<const schema::File>;

template <class Result>
auto value_of(Result result, const std::string& what) {
  if (!result.ok()) fail(what + ": " + std::string(result.status().message()));
  return *std::move(result);
}

FilePointer open_bytes(const std::vector<uint8_t>& bytes) {
  const auto* begin = reinterpret_cast<const std::byte*>(bytes.data());
  return value_of(schema::File::from_bytes({begin, begin + bytes.size()}), "the file is refused");
}

void expect_same_reads(const lightmetal::ReplayResult& result, const std::string& what) {
  if (!result.matches()) fail(what + " reads other data: " + result.mismatches[0].text());
}

void check_replays(std::unique_ptr<lightmetal::Replay> replay, const std::string& what) {
  expect_same_reads(value_of(replay->run(), what + " fails"), what);
}
void check_replays(const std::string& path, const std::string& what) {
  check_replays(value_of(lightmetal::Replay::load_file(path), what + " is refused"), what);
}

void check_lines(const std::vector<uint8_t>& bytes) {
  schema::MemorySink lines, again;
  value_of(schema::write_lines(*open_bytes(bytes), lines), "no lines are made");
  const std::vector<std::byte> text = lines.take_as<std::byte>();
  value_of(schema::read_lines(text, "lines", again), "the lines are refused");
  if (again.take_as<uint8_t>() != bytes) fail("lines give another file");
}

void check_optimised(const FilePointer& file, const std::string& path, bool may_refuse) {
  const auto result =
      value_of(lightmetal::replay::optimize(file, {.output = path}), "optimize fails");
  if (may_refuse && !result.replay.matches()) return;
  expect_same_reads(result.replay, "the optimised file");
  check_replays(path, "the optimised file");
}

// True for what trim() and a checkpoint may say of a place where no file can be cut.
bool is_refusal(const absl::Status& status) {
  return absl::IsFailedPrecondition(status) &&
         status.message().find("does not replay") == absl::string_view::npos;
}

void check_trimmed(const FilePointer& file, const std::string& path, uint64_t first, uint64_t last,
                   bool add_goldens = false) {
  const std::string what =
      "the file of commands " + std::to_string(first) + " to " + std::to_string(last);
  const auto result = lightmetal::trim(
      file, {.first = first, .last = last, .output = path, .add_goldens = add_goldens});
  if (!result.ok()) {
    if (is_refusal(result.status())) return;
    fail(what + " is not made: " + std::string(result.status().message()));
  }
  expect_same_reads(result->replay, "the replay that " + what + " is made of");
  check_replays(path, what);
}

void check_checkpoint(const FilePointer& file, const std::string& path, uint64_t first) {
  auto writes = value_of(lightmetal::Replay::load(file), "the file is refused");
  const auto written = writes->run({.first_command = first, .checkpoint = path});
  writes.reset();
  if (!written.ok()) {
    if (is_refusal(written.status())) return;
    fail("there is no checkpoint: " + std::string(written.status().message()));
  }
  expect_same_reads(*written, "the replay that writes a checkpoint");
  check_replays(path, "the checkpoint before command " + std::to_string(first));
}

// Two captures of which one moved a buffer that the other did not, or in which words are no
// addresses of one buffer, are refused.
void check_relocated(const FilePointer& file,
                     const std::function<tt::tt_metal::LightMetalBinary()>& capture_elsewhere) {
  setenv("LIGHTMETAL_ALLOCATOR_OFFSET", "1M,8K", 1);
  const FilePointer elsewhere = open_bytes(capture_elsewhere().get_data());
  unsetenv("LIGHTMETAL_ALLOCATOR_OFFSET");
  const auto addresses = schema::find_addresses(*file, *elsewhere);
  if (absl::IsFailedPrecondition(addresses.status())) return;
  const schema::Addresses found = value_of(addresses, "no addresses are found");
  if (found.ambiguities != 0) return;
  auto sink = std::make_shared<schema::MemorySink>();
  value_of(schema::write_relocated(*file, found, sink), "no relocated file is made");
  const auto bytes = sink->take_as<uint8_t>();
  check_replays(value_of(lightmetal::Replay::load_bytes(bytes), "the relocated file is refused"),
                "the relocated file");
}

}  // namespace

void check_forms(const tt::tt_metal::LightMetalBinary& binary, const FormOptions& options) {
  const lightmetal::testing::TemporaryFolder folder;
  check_lines(binary.get_data());
  const FilePointer file = open_bytes(binary.get_data());
  check_optimised(file, folder.path("optimised.lmb"), options.reads_old_memory);
  // Numbers that the file determines, so that a seed repeats them.
  if (const uint64_t count = file->num_commands(); count > 1) {
    const uint64_t first = 1 + file->size() % (count - 1);
    check_trimmed(file, folder.path("end.lmb"), first, count - 1);
    check_trimmed(file, folder.path("middle.lmb"), count / 2, count / 2 + count / 4,
                  /*add_goldens=*/true);
    check_checkpoint(file, folder.path("checkpoint.lmb"), first);
  }
  if (options.capture_elsewhere != nullptr) check_relocated(file, options.capture_elsewhere);
}

}  // namespace random_programs
