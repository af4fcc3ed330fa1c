#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "base/digest.h"
#include "capture/ids.h"
#include "capture/session.h"
#include "schema/command_generated.h"
#include "schema/commands/encode.h"

// How a call of the host API comes into the running captures, with a function that builds its
// table:
//
//   record_encoded<schema::FinishQueue>([&](Encoder& encoder) {
//     return schema::CreateFinishQueue(encoder.builder(), encoder.use(device_of(cq)), cq.id());
//   });
//
// Regular calls need no such function: record.h.
//
// Thread-safe. The table is built outside any lock, in a builder that the thread keeps. Nothing
// here fails towards the caller: what cannot be recorded becomes the capture's first error. Without
// a capture nothing happens.
namespace lightmetal::capture {

// Calls `action` once for each capture that records this thread, that is, each that runs now and
// ran when this thread's call began. During `action` every function here is about that one capture,
// and an exception of `action` becomes its error. Inside another for_each_capture(), `action` is
// called once, for the capture of the outer one.
void for_each_capture(absl::FunctionRef<void()> action);

// One call that is being encoded for one capture. Lives inside record(), and a thread has one at a
// time, because they share the thread's builder. The first thing that cannot be encoded makes ok()
// false: the call is not recorded.
class Encoder {
 public:
  explicit Encoder(schema::Call call);
  Encoder(const Encoder&) = delete;
  Encoder& operator=(const Encoder&) = delete;
  ~Encoder();

  flatbuffers::FlatBufferBuilder& builder() { return builder_; }

  // The file's id of an object that the call uses. When the capture does not know the object, the
  // call is not recorded and the capture has an error, in which `describe` says what the object is
  // ("at address 0x20").
  uint64_t use(Object object, absl::FunctionRef<std::string()> describe);
  uint64_t use(Object object) {
    return use(object, [] { return std::string(); });
  }

  // Puts a payload into the file, unless it is there already, and returns its name. The payload may
  // change meanwhile: the file has it as it was at some moment of the call.
  schema::BlobRef blob(Bytes payload);

  // Like blob(), for data that the program writes to a device: the capture's PayloadPolicy may have
  // the file say only where they are. That is found by the address of `payload`. The data are those
  // of `fixed`, unless it is empty. REQUIRES: nobody changes `fixed` during the call.
  schema::BlobRef upload(Bytes payload, Bytes fixed);

  // Makes "the call cannot be captured", with this reason, an error of the capture.
  void fail(absl::string_view reason);

  bool ok() const { return ok_; }
  schema::Call call() const { return call_; }

 private:
  // Has the writer append a payload; an error of the writer becomes the capture's.
  template <class Append>
  schema::BlobRef append_blob(Append append);

  flatbuffers::FlatBufferBuilder& builder_;
  const schema::Call call_;
  bool ok_ = true;
};

namespace internal {

// True while this thread may hold a lock of the capture: that is what a signal handler sees which
// has interrupted the recorder, and then must not record.
bool holds_capture_locks();

// True while what this thread does is the capture's part of a call, not the host API's. For tests.
bool is_recording();

// True once the environment's capture has something to write to: it begins at the first recorded
// call, which may never come.
bool environment_has_begun_to_write();

// Whether the capture for which this thread records has asked for intents. REQUIRES: inside
// for_each_capture().
bool wants_intents();

// A call has failed: the flight recorders among the captures that recorded it write their files.
void write_ring_for_error();

// How urgently a flight recorder wants to begin a segment at the end of a call.
enum class SegmentWish { None, Wanted, Urgent, LastChance };
SegmentWish wish_for_segment();
// Begins a segment of each flight recorder that wants one and can have a snapshot now. REQUIRES: no
// other thread is inside a call, and what this thread calls is not recorded as calls.
void begin_next_segment();

// Appends the command; as an intent while an IntentScope of this thread lives.
void append(schema::Call call, Bytes command);
// Gives `object` its id, unless the capture knows it already, writes the id to `id_in_command` and
// appends, so that ids ascend in the file.
void append_creation(Object object, Bytes command, uint8_t* id_in_command);
// Takes the object's name away. Returns its id, 0 when the capture does not know it.
uint64_t remove_id(Object object);

// The `id` field of the table that a finished command holds.
template <class Table>
uint8_t* id_field(Bytes command) {
  const auto* root = flatbuffers::GetSizePrefixedRoot<schema::Command>(command.data());
  const auto* table = static_cast<const flatbuffers::Table*>(root->call());
  return const_cast<uint8_t*>(table->GetAddressOf(flatbuffers::voffset_t{Table::VT_ID}));
}

}  // namespace internal

// Stands for the id of the object that a call creates until the command is appended, which is when
// the object gets its id.
inline constexpr uint64_t kNewId = ~uint64_t{0};

// Records a call: `fill(encoder)` returns the offset of its table.
template <class Table, std::invocable<Encoder&> Fill>
void record_encoded(Fill&& fill) {
  for_each_capture([&] {
    Encoder encoder(schema::CallTraits<Table>::enum_value);
    const flatbuffers::Offset<Table> table = fill(encoder);
    if (encoder.ok()) {
      internal::append(encoder.call(), schema::finish_command(encoder.builder(), table));
    }
  });
}

// Records a call that creates `object`, whose table's field `id` is kNewId.
template <class Table, class Fill>
void record_creation(Object object, Fill&& fill) {
  for_each_capture([&] {
    Encoder encoder(schema::CallTraits<Table>::enum_value);
    const flatbuffers::Offset<Table> table = fill(encoder);
    if (!encoder.ok()) return;
    const Bytes command = schema::finish_command(encoder.builder(), table);
    internal::append_creation(object, command, internal::id_field<Table>(command));
  });
}

// Records a call that destroys `object`: `fill(encoder, id)` returns the offset of its table. An
// object that the capture does not know (an internal one, or older than the capture) passes in
// silence: the file never spoke of it.
template <class Table, class Fill>
void record_destruction(Object object, Fill&& fill) {
  for_each_capture([&] {
    const uint64_t id = internal::remove_id(object);
    if (id != 0) record_encoded<Table>([&](Encoder& encoder) { return fill(encoder, id); });
  });
}

// True when the capture has seen the creation of `object` and not its end. Inside record() or
// for_each_capture().
bool knows(Object object);

// Gives `object`, which the capture does not know yet, the id that it has in another file. While
// the program's capture begins (first_commands of begin()).
void name_object(Object object, uint64_t id);

// Forgets `object`, which ends together with its owner, whose end is recorded.
void forget(Object object);

}  // namespace lightmetal::capture
