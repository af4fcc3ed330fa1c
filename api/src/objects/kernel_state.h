#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tt-metalium/kernel.hpp>
#include <vector>

#include "api/src/objects/classic_changes.h"
#include "api/src/objects/kernel_source.h"
#include "api/src/objects/runtime_args_store.h"
#include "base/digest.h"
#include "capture/session.h"
#include "device/device.h"

namespace tt::tt_metal {

using KernelObjectPtr = std::shared_ptr<const lightmetal::device::KernelObject>;

// What a kernel is made of. Does not change once the kernel is made.
struct KernelSpec {
  KernelText source;
  bool from_string = false;
  lightmetal::Digest digest;  // of the source's text
  bool has_source = true;     // a replayed kernel has none: its object is given
  CoreRangeSet cores;
  Kernel::Config config;
};

// What stands behind a Kernel: what it is made of, its arguments, and its compiled objects. Not
// thread-safe, as programs are not.
class KernelState {
 public:
  KernelState(KernelSpec spec, KernelHandle handle, std::shared_ptr<const ClassicChanges> changes);

  const uint64_t unique_id;
  const KernelHandle handle;
  const KernelSpec spec;
  const std::string name;
  const std::set<CoreCoord> logical_cores;
  RuntimeArgsStore args;
  const std::shared_ptr<const ClassicChanges> classic_changes;  // the program's

  // The compiled kernel for a backend; null before it has been compiled.
  KernelObjectPtr object_for(const std::string& backend) const;
  void set_object_for(const std::string& backend, KernelObjectPtr object);
  // An object for whatever backend the program runs on: a replay has it from the file.
  void set_given_object(KernelObjectPtr object) { given_object_ = std::move(object); }

  // Every object that it has.
  std::vector<KernelObjectPtr> objects() const;

  // True once for each object and capture, the one that for_each_capture() is at: the caller then
  // records the object. False without a capture.
  bool needs_binary_record(const KernelObjectPtr& object);

 private:
  KernelObjectPtr given_object_;
  std::map<std::string, KernelObjectPtr> objects_;
  // The numbers of the captures that hold an object, the last one of each kind.
  std::map<const lightmetal::device::KernelObject*,
           std::array<uint64_t, lightmetal::capture::kNumSessionKinds>>
      recorded_in_;
};

// The processor that a configuration asks for, and its network; a compute kernel has no network of
// its own, which is NOC_0.
KernelProcessor processor_of(const Kernel::Config& config);
uint8_t noc_of(const Kernel::Config& config);

}  // namespace tt::tt_metal
