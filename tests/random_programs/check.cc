#include "tests/random_programs/check.h"

#include <algorithm>
#include <lightmetal/capture.hpp>
#include <lightmetal/replay.hpp>
#include <vector>

#include "schema/file/reader.h"
#include "tests/random_programs/forms.h"
#include "tests/random_programs/run_program.h"
#include "tests/support/captured_file.h"

namespace random_programs {
namespace {

namespace testing = lightmetal::testing;

using lightmetal::Replay;

// Says what comes next, for a person who sees the process hang.
void say(const std::string& what) {
  std::fprintf(stderr, "%s\n", what.c_str());
  std::fflush(stderr);
}

void begin_capture() { tm::LightMetalBeginCapture({.read_goldens = true, .record_origin = false}); }

std::unique_ptr<Replay> loaded(const tm::LightMetalBinary& file) {
  auto replay = Replay::load_bytes(file.get_data());
  if (!replay.ok()) fail("the file is refused: " + std::string(replay.status().message()));
  return *std::move(replay);
}

// Runs the replay, and returns how many goldens were compared.
uint64_t run(Replay& replay) {
  const auto result = replay.run();
  if (!result.ok()) fail("the replay fails: " + std::string(result.status().message()));
  if (!result->matches()) fail("the replay reads other data: " + result->mismatches[0].text());
  return result->goldens_checked;
}

tm::LightMetalBinary captured_replay(const tm::LightMetalBinary& file) {
  const std::unique_ptr<Replay> replay = loaded(file);
  begin_capture();
  run(*replay);
  return tm::LightMetalEndCapture();
}

bool has_threads(const Steps& steps) {
  return std::ranges::any_of(steps, [](const Step& step) { return step.thread != 0; });
}

bool reads_old_memory(const Steps& steps) {
  return std::ranges::any_of(steps, [](const Step& step) {
    const auto* read = std::get_if<ReadBuffer>(&step.call);
    return read != nullptr && read->expected == kUnknown;
  });
}

// A captured replay of a file gives the same file. For a program with threads it gives the same
// commands: a call of another thread may stand between a payload and the command that names it.
void check_captured_replay(const tm::LightMetalBinary& file, bool exactly) {
  say("replayed while captured");
  const tm::LightMetalBinary again = captured_replay(file);
  if (again.get_data() == file.get_data()) return;
  const std::string difference =
      testing::difference_of(*testing::open_file(file), *testing::open_file(again));
  if (!difference.empty()) fail("the replay that is captured gives another file: " + difference);
  if (exactly) fail("the replay that is captured gives another file, of the same commands");
}

uint64_t waiting_reads(const RandomProgram& program) {
  uint64_t count = 0;
  for (const Step& step : program.steps) {
    const auto* read = std::get_if<ReadBuffer>(&step.call);
    const bool counts = read != nullptr && (read->blocking || read->way != Way::kQueue);
    if (counts && (read->blocking || read->way != Way::kRegion)) ++count;
    if (std::holds_alternative<ReadSemaphore>(step.call)) ++count;
  }
  return count * std::max(mesh_devices(program.surface), 1u);
}

tm::LightMetalBinary captured(const RandomProgram& program) {
  begin_capture();
  run_program(program);
  return tm::LightMetalEndCapture();
}

void check_whole(const RandomProgram& program) {
  say("captured");
  const tm::LightMetalBinary file = captured(program);
  say("replayed");
  const uint64_t goldens = run(*loaded(file));
  if (goldens < waiting_reads(program)) {
    fail("the replay compares " + std::to_string(goldens) + " reads of " +
         std::to_string(waiting_reads(program)));
  }
  check_captured_replay(file, !has_threads(program.steps));
  say("in other forms");
  FormOptions options{.reads_old_memory = reads_old_memory(program.steps)};
  if (!has_threads(program.steps)) options.capture_elsewhere = [&] { return captured(program); };
  check_forms(file, options);
}

void check_parts(const RandomProgram& program) {
  say("captured in parts");
  std::vector<tm::LightMetalBinary> files;
  run_program(program, {begin_capture, [&] { files.push_back(tm::LightMetalEndCapture()); }});
  for (const tm::LightMetalBinary& file : files) {
    say("part replayed");
    run(*loaded(file));
    check_captured_replay(file, !has_threads(program.steps));
  }
}

bool has_parts(const Steps& steps) {
  return std::ranges::any_of(
      steps, [](const Step& step) { return std::holds_alternative<BeginCapture>(step.call); });
}

}  // namespace

void check(const RandomProgram& program) {
  try {
    say("live");
    run_program(program);
    if (!lightmetal::capture_is_compiled_in()) return;
    check_whole(program);
    if (has_parts(program.steps)) check_parts(program);
  } catch (const std::exception& error) {
    fail(std::string("thrown: ") + error.what());
  }
}

}  // namespace random_programs
