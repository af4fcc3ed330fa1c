#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/container/inlined_vector.h"
#include "base/device_profile.h"
#include "runner/page/columns.h"
#include "schema/command_generated.h"
#include "schema/index/object_index.h"

namespace lightmetal::runner::page {

// Follows which buffers and programs there are while the commands of a file go by in order, where
// the buffers lie and how long, and which programs use which buffers. A program uses a buffer that
// is a runtime argument of one of its kernels, whose address is one, or that a circular buffer of
// it lies in.
//
// A file does not say whether a kernel reads or writes: that is guessed. What a kernel of the
// reading processor (Riscv1) takes is read; what others take is written, unless the program has no
// such kernel and the buffer has been written before.
//
// The file need not be verified: what names no object that there is, is passed over. Not
// thread-safe.
class Dataflow {
 public:
  // Takes the next command.
  void take(uint64_t number, const schema::Command& command);

  // Returns the number of a buffer, counted from 0 by creation, or -1.
  int32_t buffer_of(uint64_t id) const { return number_of(schema::ObjectKind::Buffer, id); }

  // The number of the program or trace that a call launches, or -1. REQUIRES: the call is a launch.
  template <class Call>
  int32_t launched_by(const Call& call) const {
    if constexpr (requires { call.program(); }) {
      return number_of(schema::ObjectKind::Program, call.program());
    } else {
      return number_of(schema::ObjectKind::Trace, call.trace());
    }
  }

  // How many bytes a call reads.
  template <class Call>
  uint64_t bytes_read(const Call& call) const {
    if (call.golden() != nullptr) return call.golden()->size();
    if constexpr (requires { call.size(); }) return call.size();
    if constexpr (requires { call.buffer(); }) {
      const int32_t buffer = buffer_of(call.buffer());
      return buffer < 0 ? 0 : buffers_[static_cast<size_t>(buffer)].size;
    }
    return 0;
  }

  std::string json() const;

 private:
  struct Buffer {
    uint64_t id = 0;
    uint64_t device = 0;
    uint64_t size = 0;
    uint64_t page_size = 0;
    uint64_t taken = 0;  // of the device's memory, with padding; 0 when nothing was allocated
    uint64_t address = 0;
    uint32_t type = 0;                           // as texts_ numbers it
    uint32_t layout = 0;                         // as texts_ numbers it
    int64_t created = 0;                         // the number of the command
    int64_t freed = -1;                          // -1: never
    uint64_t writes = 0, reads = 0;              // by the host
    uint64_t bytes_written = 0, bytes_read = 0;  // by the host
    bool has_content = false;
  };

  // A program or a device trace.
  struct Program {
    uint64_t id = 0;
    bool is_trace = false;
    bool has_reader = false;  // a kernel of the reading processor
    int64_t first = -1;       // the number of the command of the first launch; -1: never launched
    uint64_t launches = 0;
    uint64_t device = 0;                              // of the last launch
    absl::InlinedVector<uint32_t, 4> kernels = {};    // their names, as texts_ numbers them
    std::string cores = {};                           // "x0,y0,x1,y1;": one for each range
    absl::InlinedVector<uint32_t, 4> core_sets = {};  // that `cores` has, as texts_ numbers them
  };

  // The buffers that the next launch of a program uses, and how: flags of dataflow.cc.
  using Uses = absl::flat_hash_map<uint32_t, uint8_t>;

  template <class Call>
  void on(const Call& call);
  void on(const schema::CreateDevice& call);
  void on(const schema::BufferCreate& call);
  void on(const schema::BufferDeallocate& call) { free(call.buffer()); }
  void on(const schema::BufferDestroy& call) { free(call.buffer()); }
  void on(const schema::ProgramCreate& call) { add_program({.id = call.id()}); }
  void on(const schema::KernelCreate& call);
  void on(const schema::CircularBufferCreate& call) {
    use_circular_buffer(call.id(), call.config()->buffer());
  }
  void on(const schema::LoadTrace& call);

  // Returns the number of a buffer, a program or a trace. A kernel or a circular buffer has the
  // number of its program. Returns -1 if there is no such object.
  int32_t number_of(schema::ObjectKind kind, uint64_t id) const;
  void add_objects(const schema::Command& command);
  void add_program(Program program);
  uint64_t memory_taken_by(const schema::BufferCreate& call) const;
  void free(uint64_t id);
  void forget_address(uint32_t buffer);
  void add_cores(Program& program, const flatbuffers::Vector<const schema::CoreRange*>* cores);
  void add_launch_of_trace(const schema::TraceLaunch& launch, uint32_t program);
  void use_circular_buffer(uint64_t id, uint64_t buffer);
  void add_core(Program& program, const schema::CoreCoord& core);
  void use_word(uint32_t program, uint8_t flags, uint32_t word);
  void use_words(uint32_t program, uint8_t flags, const flatbuffers::Vector<uint32_t>* words);
  void use_arguments(uint32_t program, uint8_t flags, const schema::RuntimeArgs* arguments);
  template <class Arguments>
  void use(uint32_t program, uint8_t flags, const Arguments* arguments);
  void launch(int32_t program, uint64_t device);
  void add_edges(uint32_t program, const Uses& uses);
  void write_buffers(schema::JsonWriter& json) const;
  void write_programs(schema::JsonWriter& json) const;
  void write_edges(schema::JsonWriter& json) const;

  uint64_t now_ = 0;
  TextTable texts_;
  std::vector<Buffer> buffers_;
  std::vector<Program> programs_;
  schema::ObjectIndex objects_;
  // By object, as number_of() returns it.
  std::vector<int32_t> numbers_;
  bool creates_ = false;  // the command creates an object that no other command has created
  absl::flat_hash_map<uint64_t, ::lightmetal::DeviceProfile> profiles_;  // by device
  absl::flat_hash_set<uint64_t> readers_;  // kernels of the reading processor, by id
  // The living buffers at an address.
  absl::flat_hash_map<uint64_t, absl::InlinedVector<uint32_t, 2>> at_address_;
  absl::flat_hash_map<uint32_t, Uses> uses_;  // by program, until it is launched
  absl::flat_hash_map<std::pair<uint32_t, uint32_t>, uint8_t> edges_;  // of program and buffer
};

}  // namespace lightmetal::runner::page
