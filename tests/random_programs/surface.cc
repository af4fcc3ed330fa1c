#include "tests/random_programs/surface.h"

#include <algorithm>
#include <map>
#include <utility>

#include "tests/random_programs/model.h"

namespace random_programs {
namespace {

// Where an event was recorded last.
struct Recorded {
  uint32_t section = 0, thread = 0;
};

// Decides step by step what a mesh has a call for.
class MeshFilter {
 public:
  bool takes(Step& step) {
    return std::visit([&](auto& call) { return takes(step, call); }, step.call);
  }

 private:
  template <class Any>
  static bool takes(const Step&, const Any&) {
    return true;
  }
  static bool takes(const Step&, const SetPageSize&) { return false; }
  static bool takes(const Step&, const CompileProgram&) { return false; }
  static bool takes(const Step&, const AssignBuffer&) { return false; }
  static bool takes(const Step&, Launch& call) {
    call.direct = false;
    return true;
  }
  // Mesh events are values that recording makes: what waits for one has to come later.
  bool takes(const Step& step, const RecordEvent& call) {
    recorded_[call.event] = {step.section, step.thread};
    return true;
  }
  bool takes(const Step& step, const WaitForEvent& call) { return is_there(step, call.event); }
  bool takes(const Step& step, const SynchronizeEvent& call) { return is_there(step, call.event); }
  bool takes(const Step&, const DropEvent& call) { return recorded_.erase(call.event) != 0; }

  bool is_there(const Step& step, Id event) const {
    const auto found = recorded_.find(event);
    if (found == recorded_.end()) return false;
    return found->second.section < step.section || found->second.thread == step.thread;
  }

  std::map<Id, Recorded> recorded_;
};

Steps steps_for_mesh(Steps steps) {
  MeshFilter filter;
  std::erase_if(steps, [&](Step& step) { return !filter.takes(step); });
  return steps;
}

// The steps of one device of a mesh, which is written other words than the first.
Steps steps_on(Steps steps, uint32_t device) {
  for (Step& step : steps) {
    if (auto* write = std::get_if<WriteBuffer>(&step.call)) {
      write->value = value_on(write->value, device);
    }
  }
  return valid_steps(std::move(steps));
}

void expect_on_others(Steps& steps, uint32_t devices) {
  for (Step& step : steps) {
    if (auto* read = std::get_if<ReadBuffer>(&step.call)) read->expected_on_others.clear();
  }
  for (uint32_t device = 1; device < devices; ++device) {
    const Steps others = steps_on(steps, device);
    for (size_t i = 0; i < steps.size(); ++i) {
      auto* read = std::get_if<ReadBuffer>(&steps[i].call);
      if (read == nullptr) continue;
      read->expected_on_others.push_back(std::get<ReadBuffer>(others.at(i).call).expected);
    }
  }
}

}  // namespace

Surface surface_of(uint32_t seed) {
  using enum Surface;
  static constexpr Surface kOfEight[] = {kMesh,   kDevice,        kDescribed,     kUnitMesh,
                                         kDevice, kSpecifiedMesh, kDescribedMesh, kDevice};
  return kOfEight[seed % 8];
}

const char* name_of(Surface surface) {
  static constexpr const char* kNames[] = {"device", "described",      "unit mesh",
                                           "mesh",   "described mesh", "specified mesh"};
  static_assert(std::size(kNames) == kSurfaces);
  return kNames[static_cast<int>(surface)];
}

uint32_t mesh_devices(Surface surface) {
  switch (surface) {
    case Surface::kUnitMesh:
      return 1;
    case Surface::kMesh:
    case Surface::kDescribedMesh:
    case Surface::kSpecifiedMesh:
      return 2;
    default:
      return 0;
  }
}

bool is_described(Surface surface) {
  return surface == Surface::kDescribed || surface == Surface::kDescribedMesh;
}

bool is_specified(Surface surface) { return surface == Surface::kSpecifiedMesh; }

RandomProgram valid_program(RandomProgram program) {
  const uint32_t devices = mesh_devices(program.surface);
  if (devices == 0) return {program.surface, valid_steps(std::move(program.steps))};
  Steps steps = steps_for_mesh(std::move(program.steps));
  // What is not valid may have been what an event of the rest waits for.
  for (Steps valid = valid_steps(steps); valid.size() < steps.size(); valid = valid_steps(steps)) {
    steps = steps_for_mesh(std::move(valid));
  }
  steps = valid_steps(std::move(steps));
  expect_on_others(steps, devices);
  return {program.surface, std::move(steps)};
}

}  // namespace random_programs
