#include "tests/random_programs/print.h"

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace random_programs {
namespace {

std::string text_of(bool value) { return value ? "true" : "false"; }
std::string text_of(uint32_t value) { return std::to_string(value); }
std::string text_of(uint64_t value) { return std::to_string(value) + "u"; }
std::string text_of(const Queue& queue) {
  return "{" + text_of(queue.device) + ", " + text_of(queue.index) + "}";
}
std::string text_of(const std::array<uint32_t, 2>& pair) {
  return "{" + text_of(pair[0]) + ", " + text_of(pair[1]) + "}";
}
std::string text_of(const Rect& rect) {
  return "{" + text_of(rect.x0) + ", " + text_of(rect.y0) + ", " + text_of(rect.x1) + ", " +
         text_of(rect.y1) + "}";
}
std::string text_of(const std::vector<Rect>& rects) {
  std::string text;
  for (const Rect& rect : rects) text += (text.empty() ? "" : ", ") + text_of(rect);
  return "{" + text + "}";
}
std::string text_of(const std::vector<uint64_t>& values) {
  std::string text;
  for (const uint64_t value : values) text += (text.empty() ? "" : ", ") + text_of(value);
  return "{" + text + "}";
}
std::string text_of(Memory memory) {
  static constexpr const char* kNames[] = {"kDram", "kL1", "kL1Small"};
  return std::string("Memory::") + kNames[static_cast<int>(memory)];
}
std::string text_of(Layout layout) {
  static constexpr const char* kNames[] = {"kInterleaved", "kSingleBank", "kHeight", "kWidth",
                                           "kBlock"};
  return std::string("Layout::") + kNames[static_cast<int>(layout)];
}
std::string text_of(Way way) {
  static constexpr const char* kNames[] = {"kQueue", "kRegion", "kDirect", "kCompare", "kShard"};
  return std::string("Way::") + kNames[static_cast<int>(way)];
}
std::string text_of(Kind kind) {
  static constexpr const char* kNames[] = {"kAdd", "kSum", "kHandshake", "kCount", "kSignal"};
  return std::string("Kind::") + kNames[static_cast<int>(kind)];
}
std::string text_of(ArgsWay way) {
  static constexpr const char* kNames[] = {"kEach", "kVector", "kSymbolic", "kReference"};
  return std::string("ArgsWay::") + kNames[static_cast<int>(way)];
}
std::string text_of(const Shape& shape) {
  std::string text =
      "{.memory = " + text_of(shape.memory) + ", .layout = " + text_of(shape.layout) +
      ", .page_size = " + text_of(shape.page_size) + ", .pages = " + text_of(shape.pages);
  if (shape.layout != Layout::kInterleaved && shape.layout != Layout::kSingleBank) {
    text += ", .shard = " + text_of(shape.shard) + ", .tensor = " + text_of(shape.tensor) +
            ", .grid = " + text_of(shape.grid) + ", .column_major = " + text_of(shape.column_major);
  }
  return text + "}";
}

const char* name_of(const Call& call) {
  static constexpr const char* kNames[] = {"OpenDevice",
                                           "CloseDevice",
                                           "CreateBuffer",
                                           "DeallocateBuffer",
                                           "DropBuffer",
                                           "SetPageSize",
                                           "WriteBuffer",
                                           "ReadBuffer",
                                           "CreateProgram",
                                           "DropProgram",
                                           "CompileProgram",
                                           "SetArguments",
                                           "ResizeCircularBuffer",
                                           "MoveScratch",
                                           "AssignBuffer",
                                           "Launch",
                                           "Finish",
                                           "RecordEvent",
                                           "WaitForEvent",
                                           "SynchronizeEvent",
                                           "DropEvent",
                                           "BeginTrace",
                                           "EndTrace",
                                           "ReplayTrace",
                                           "ReleaseTrace",
                                           "CreateManager",
                                           "LoadManager",
                                           "RemoveManager",
                                           "SetStallGroup",
                                           "CreateSemaphore",
                                           "ResetSemaphore",
                                           "ReadSemaphore",
                                           "DropSemaphore",
                                           "BeginCapture",
                                           "EndCapture"};
  static_assert(std::size(kNames) == std::variant_size_v<Call>);
  return kNames[call.index()];
}

// The text of a header of this folder, without its includes of other headers of this folder.
std::string embedded(const std::string& name) {
  const std::string path = LIGHTMETAL_SOURCE_FOLDER "/tests/random_programs/" + name;
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  std::string text, line;
  while (std::getline(file, line)) {
    const bool left_out = line == "#pragma once" || line.starts_with("#include \"tests/");
    if (!left_out) text += line + "\n";
  }
  return text;
}

// The printed program adds its steps one by one: compilers take minutes for a list of hundreds in
// one expression.
constexpr char kBeforeSteps[] = R"(
namespace random_programs {

template <class Call>
[[gnu::noinline]] void add(Steps& steps, uint32_t section, uint32_t thread, const Call& call) {
  steps.push_back({section, thread, call});
}

Steps all_steps() {
  Steps steps;
)";

constexpr char kMain[] = R"(
  host.begin_capture = [] { tm::LightMetalBeginCapture(); };
  host.end_capture = [] { tm::LightMetalEndCapture(); };
  run(all_steps(), host);
}

}  // namespace random_programs

int main() { random_programs::run_all(); }
)";

// The declaration of what takes the steps.
std::string host_of(Surface surface) {
  const std::string form = is_specified(surface)   ? "Form::kSpec"
                           : is_described(surface) ? "Form::kDescriptor"
                                                   : "Form::kCalls";
  const uint32_t devices = mesh_devices(surface);
  return devices == 0 ? "Host host(" + form + ");"
                      : "MeshHost host(" + form + ", " + std::to_string(devices) + ");";
}

std::string text_of(const Call& call) {
  std::string fields;
  const auto add = [&](const char* name, const auto& value) {
    fields += (fields.empty() ? "." : ", .") + std::string(name) + " = " + text_of(value);
  };
  std::visit([&](const auto& alternative) { alternative.fields(add); }, call);
  return name_of(call) + ("{" + fields + "}");
}

std::string arguments_of(const Step& step) {
  return text_of(step.section) + ", " + text_of(step.thread) + ", " + text_of(step.call);
}

}  // namespace

std::string text_of(const Step& step) { return "{" + arguments_of(step) + "}"; }

std::string program_text(const RandomProgram& program) {
  std::string text = "// A random program, " + std::to_string(program.steps.size()) +
                     " steps: section, thread, call. In odd sections the threads run at once.\n";
  const bool is_mesh = mesh_devices(program.surface) != 0;
  for (const char* header : {"steps.h", "kernels.h", "program_host.h"}) text += embedded(header);
  text += is_mesh ? embedded("spec_programs.h") + embedded("mesh_host.h") : embedded("host.h");
  text += kBeforeSteps;
  for (const Step& step : program.steps) text += "  add(steps, " + arguments_of(step) + ");\n";
  return text + "  return steps;\n}\n\nvoid run_all() {\n  " + host_of(program.surface) + kMain;
}

}  // namespace random_programs
