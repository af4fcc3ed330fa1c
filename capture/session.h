#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/compare_policy.h"
#include "base/payload_policy.h"
#include "capture/capture.h"

// The captures of a process: how they begin, how they end, what they came to. There are two: the
// program's, and the environment's, which goes on while the program captures. Each has its own
// file, its own ids and its own error. Everything here is thread-safe.
namespace lightmetal::schema {
class Sink;
}

namespace lightmetal::capture {

inline constexpr uint64_t kMinReferenceSize = 64 * 1024;

// What a capture is asked for; api/include/lightmetal/capture.hpp says more of each. A plain value.
struct Options {
  bool read_goldens = false;  // keep what every read returned, so that a replay can compare
  bool record_origin = true;  // say in the file where, when and by what it was made
  bool intents = false;       // write calls that launch or wait before they are made, too
  uint64_t ring_size = 0;     // of a flight recorder, in bytes; 0: everything goes to the sink
  int compression_level = 0;  // of payloads: schema::WriterOptions
  PayloadPolicy payloads = PayloadPolicy::Embed;
  ComparePolicy golden_policy = {};  // how a replay compares goldens when nobody says otherwise
  uint64_t min_reference_size = kMinReferenceSize;  // smaller payloads are always embedded
};

// Which capture of this process it is, counted from 1; 0 for none. `kind` tells apart the two that
// can run at the same time.
struct SessionNumber {
  uint64_t number = 0;
  size_t kind = 0;
};
inline constexpr size_t kNumSessionKinds = 2;

#ifdef LIGHTMETAL_ENABLE_CAPTURE

// How a flight recorder comes by the snapshots that its segments begin with (flight_recorder.h).
// The functions are called on a thread that has just made a call, while no other thread is in one.
struct SnapshotSource {
  // Waits no longer than `patience`. An error while a snapshot cannot be taken.
  absl::Status (*prepare)(std::chrono::milliseconds patience) = nullptr;
  void (*record_pending)() = nullptr;  // what calls change but do not record; in the old segment
  void (*record)() = nullptr;          // objects that the capture knows keep their ids
};
// Called once in a process. Returns true.
bool set_snapshot_source(const SnapshotSource& source);

// Writes the files of the flight recorders that run now; false when none runs. A flight recorder's
// `sink` is a FileSink, which is written over each time: here, when a call fails, on a fatal
// signal, and by end() unless it shows the last failure already.
absl::StatusOr<bool> write_flight_record();  // false: none runs

// InvalidArgument for a compression level that there is not, and for a ring that is too small.
// Every capture is asked this when it begins; whoever makes its file asks before, since making the
// file empties one that is there.
absl::Status check_options(const Options& options);

// Begins the program's capture into `sink`, which nobody else touches until end() has returned.
// `first_commands` records what must come before everything else, such as the devices that are
// open; other threads' calls are recorded once it is done. FailedPrecondition while the program's
// capture runs: that one goes on. InvalidArgument as by check_options(), and for a ring whose
// `sink` is no FileSink.
absl::Status begin(const Options& options, std::shared_ptr<schema::Sink> sink,
                   absl::FunctionRef<void()> first_commands);

// Begins the environment's capture. `open` makes the sink at the first recorded call: without a
// call there is no file.
using OpenSink = absl::StatusOr<std::shared_ptr<schema::Sink>> (*)();
absl::Status begin_at_first_call(const Options& options, OpenSink open);
// Like end(), for the environment's capture.
absl::Status end_environment();

// Ends the program's capture, closes its sink and returns the capture's first error. From here on
// every object is unknown to the next capture. FailedPrecondition when no capture was begun.
absl::Status end();

// True from begin() to end(), also after an error.
bool running();

// The capture that for_each_capture() is at; outside of it, the program's.
SessionNumber session();

// True while a capture runs that was asked to keep what reads return: inside for_each_capture()
// that one capture, outside of it any.
bool keeps_read_goldens();
// The same of captures that say where they were made, and so how long things took.
bool records_origin();
// The ring of the flight recorder that for_each_capture() is at, in bytes; 0 for another capture
// and outside of it.
uint64_t ring_size();

// Makes `error` what the captures that record this thread came to, unless they have an error
// already. From the first error on nothing more is recorded; end() reports it, and so does the
// file. Without a capture nothing happens.
void record_error(absl::Status error);

#else

inline constexpr bool running() { return false; }
inline constexpr SessionNumber session() { return {}; }
inline constexpr bool keeps_read_goldens() { return false; }
inline constexpr bool records_origin() { return false; }
inline constexpr uint64_t ring_size() { return 0; }

#endif

}  // namespace lightmetal::capture
