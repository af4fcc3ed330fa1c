#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/compare_policy.h"
#include "base/reference_options.h"
#include "base/schedule.h"

namespace tt::tt_metal {
class IDevice;
}

namespace lightmetal {

namespace schema {
class File;
}

// Where an element lies in a golden of whole tiles: elements are counted tile by tile, 1024 to a
// tile of 32x32, and in it face by face, as tiles lie in memory (four faces of 16x16, each row by
// row).
struct TilePlace {
  uint64_t tile = 0;
  uint32_t row = 0;
  uint32_t column = 0;
};

// An element of what was read that differs from its golden. Values are texts in the element type.
struct Difference {
  uint64_t index = 0;  // in elements
  std::string expected;
  std::string found;
  // For goldens of Float32 or BFloat16 that have whole tiles' elements. A file does not say whether
  // data are tiles or rows: the place means something only to those who know that they are tiles.
  std::optional<TilePlace> place = {};
};

// How what a command read compares with its golden.
struct GoldenResult {
  uint64_t command = 0;            // its number, from 0
  std::string call;                // "EnqueueReadBuffer"
  std::string source;              // what was read: "buffer 3 (2048 bytes at 0x20, DRAM)"
  std::optional<uint64_t> buffer;  // its id in the file, when a buffer was read
  std::string element_type;        // "BFloat16"
  ComparePolicy policy;            // the one that was applied
  bool passed = true;              // what the policy says
  uint64_t elements = 0;           // how many were compared
  // How many differ by more than the policy allows an element; with pcc, how many differ at all.
  uint64_t different = 0;
  std::vector<Difference> first;  // at most five of them

  // Over all pairs of finite numbers. The relative error is |found - expected| / |expected|, and
  // leaves out those whose expected value is 0. ULP and PCC are as ComparePolicy has them; the
  // neighbours of an integer are 1 apart.
  double max_absolute_error = 0;
  double max_relative_error = 0;
  uint64_t max_ulp_error = 0;
  double pcc = 1;

  // How many of these pairs are 0 ULPs apart, 1, 2 to 3, 4 to 7, and so on, up to the last of which
  // there is any. Empty unless RunOptions::error_histograms.
  std::vector<uint64_t> error_histogram;

  // All of it in one paragraph, without a newline at the end.
  std::string text() const;
};

// What a command of the file read from a device. All of it is valid only during the callback.
struct ReadData {
  uint64_t command = 0;
  std::string_view call;
  std::string_view source;
  absl::Span<const std::byte> data;
  std::string_view element_type = {};   // "BFloat16"
  std::optional<uint64_t> buffer = {};  // its id in the file, when a buffer was read
};

// A buffer that lives, and what it holds. All of it is valid only during the callback.
struct BufferContent {
  uint64_t id = 0;   // in the file
  std::string name;  // "buffer 3 (2048 bytes at 0x20, DRAM)"
  absl::Span<const std::byte> data;
};

// A kernel to run in place of one of the file.
struct KernelReplacement {
  // Of the kernels of the file: those whose source has this path, or one that ends with these
  // components, or the one with this id; and all that have the same object as one of these.
  std::string kernel;
  // A kernel's source, which is compiled for the processor, with the arguments, defines and
  // circular buffers of the kernel that it replaces; or a kernel object (ELF), which is run as it
  // is.
  std::string path;
};

// Says which devices a file is loaded for, and which files are refused. The defaults replay on the
// recorded backend.
struct LoadOptions {
  // The backend that devices are opened on: "cpu", "null", or a library as LIGHTMETAL_DEVICE names
  // it, which is loaded. Empty for the recorded one, for which nothing is loaded.
  std::string backend = {};

  // A device of the caller's, which stands for the first recorded device, and for later ones of the
  // same chip id. The replay does not close it. It must have the recorded profile and at least as
  // many queues, and outlive the replay.
  tt::tt_metal::IDevice* device = nullptr;

  // The chip that is opened as the first recorded device, and as later ones of the same chip id, so
  // that a file can be replayed beside what uses the recorded chip; none: the recorded one. Not for
  // a caller's device, which is open already.
  std::optional<uint32_t> chip_id = {};

  // In which order the replay's devices run kernels; none: as the backend has it, which on the CPU
  // device is what LIGHTMETAL_CPU_DEVICE_SCHEDULE says. A run fails on a backend that has no such
  // schedule. Not for a caller's device, which is open already.
  std::optional<Schedule> schedule = {};

  // Kernels that run in place of the file's, also in its device traces. The first that names a
  // kernel counts. load() fails when one names none; a run, when one cannot be read or compiled.
  std::vector<KernelReplacement> replace_kernels = {};

  // Whether a file is replayed that was not closed, or whose capture ended with an error: its whole
  // records are.
  bool allow_incomplete = false;

  // How payloads that lie in other files are found. For load_file and load_bytes only: a File was
  // opened with options of its own. All such payloads are found and checked before anything runs.
  ReferenceOptions references = {};

  // The most memory that the calls of the file may make a run hold, in bytes; see
  // schema/semantics/semantics.h.
  uint64_t memory_limit = uint64_t{64} << 30;

  // Texts of public key files (`lightmetal_runner keygen`): the file must have a right signature by
  // one of these keys, or it is not loaded. Empty: no signature is asked for.
  std::vector<std::string> required_keys = {};
};

// Says what a run executes, compares and reports. The defaults execute all and compare all goldens.
// Callbacks are called on the thread that calls run().
struct RunOptions {
  // Whether what is read is compared with its golden.
  bool check_goldens = true;

  // How goldens are compared: those that a command or else a buffer reads, by its number or its id
  // in the file, as these two say; all others by `golden_policy`. Without one, as the program said
  // at capture of this golden, or else of all, and exactly when it said nothing. A policy for all
  // holds for Float32, BFloat16 and, with `as`, for Bytes, UInt16 and UInt32; all else is compared
  // exactly. A run fails that has a policy for a single command or buffer which does not fit its
  // elements.
  std::optional<ComparePolicy> golden_policy = {};
  std::map<uint64_t, ComparePolicy> command_policies = {};
  std::map<uint64_t, ComparePolicy> buffer_policies = {};

  // Whether GoldenResult has histograms of the errors, which take another pass over the elements.
  bool error_histograms = false;

  // True: the first mismatch ends the run and is its error. False: the run goes on and collects
  // mismatches.
  bool stop_at_mismatch = false;

  // Called on the thread that runs, for every golden that is compared, with what was read instead.
  std::function<void(const GoldenResult&, absl::Span<const std::byte> found)> on_golden = {};

  // Called on the thread that runs, for every mismatch, as it is found.
  std::function<void(const GoldenResult&)> on_mismatch = {};

  // Called for every read, once its data are there; reads that one wait has settled come in the
  // order of their commands.
  std::function<void(const ReadData&)> on_read = {};

  // Called before each command with its number and how many there are.
  std::function<void(uint64_t command, uint64_t commands)> on_progress = {};

  // What commands before this one read is not compared with its golden.
  uint64_t first_command = 0;
  // A file that is written before first_command is executed, with what lives then and all that
  // follows: <lightmetal/checkpoint.hpp>. It needs a library with capture, a file of more commands,
  // and a process in which nothing else lives. Empty: none is written.
  std::string checkpoint = {};

  // The last command to execute. Then the run waits for the devices and compares what was read. The
  // objects that live then live on until the next run.
  uint64_t last_command = UINT64_MAX;

  // Whether each command is finished before the next one is made: the run waits for all devices
  // behind it, so that an error of the work that a command gave to a queue is that command's, and
  // not a later one's. A command is not waited for while a queue waits for an event that only a
  // later command records. An error that the captured program has caught (CallFailed) ends such a
  // run at the command that caused it.
  bool sync = false;

  // Whether a run goes on after a command that fails. It is then as with `sync`, and ReplayResult
  // has the errors. A command that needs what has failed is skipped: one that names an object that
  // was not made, or an event, or a program, kernel or circular buffer whose change has failed.
  // What a launch that failed has left in memory is compared like anything else.
  bool continue_on_error = false;
};

// A command that failed, or that was skipped because of one, in a run that went on.
struct CommandError {
  std::optional<uint64_t> command;  // its number; none for what failed after the last command
  bool skipped = false;
  std::string message;  // names the file and the command
};

// A buffer that has memory at the end of a run. Sizes and addresses are in bytes.
struct LivingBuffer {
  uint64_t id = 0;  // in the file
  uint32_t chip_id = 0;
  uint64_t address = 0;
  uint64_t size = 0;
  uint64_t page_size = 0;
  std::string buffer_type;  // "DRAM"
  std::string layout;       // "INTERLEAVED"
};

// What a run came to.
struct ReplayResult {
  uint64_t commands = 0;  // executed, without those that failed or were skipped
  uint64_t goldens_checked = 0;
  uint64_t mismatch_count = 0;
  std::vector<GoldenResult> mismatches;  // the first hundred

  // With continue_on_error alone: how many commands failed, how many were skipped, and the first
  // hundred of both.
  uint64_t failed_count = 0;
  uint64_t skipped_count = 0;
  std::vector<CommandError> errors;

  bool matches() const { return mismatch_count == 0; }
};

// A captured program, ready to run: the file has been checked whole, and its commands are known.
// Not thread-safe.
//
// Every object is placed where it was recorded; where that is impossible, and where a handle, an id
// or a read's size differs from what was recorded, the run fails. Errors name the file, the command
// and its offset.
class Replay {
 public:
  // Kernels in the file are machine code, and run() executes them with the rights of this process:
  // load what you trust (docs/security.md says how the runner decides). A capture that this process
  // has made itself is as good as the process. A file that somebody else can write to may change
  // after it was checked: give load_bytes a copy of it.
  //
  // The file is verified first, as schema/verify/verify.h says. InvalidArgument or DataLoss when it
  // is not sound, not complete, or damaged; FailedPrecondition when a call makes no sense where it
  // stands; ResourceExhausted when a run would go beyond the memory limit; Unauthenticated when it
  // lacks a required signature.
  static absl::StatusOr<std::unique_ptr<Replay>> load(std::shared_ptr<const schema::File> file,
                                                      LoadOptions options = {});
  static absl::StatusOr<std::unique_ptr<Replay>> load_file(const std::string& path,
                                                           LoadOptions options = {});
  static absl::StatusOr<std::unique_ptr<Replay>> load_bytes(absl::Span<const uint8_t> bytes,
                                                            LoadOptions options = {});

  // Releases the objects, and closes the devices that the replay opened and the recording did not
  // close.
  ~Replay();
  Replay(const Replay&) = delete;
  Replay& operator=(const Replay&) = delete;

  // Executes all commands, waits for the devices and returns. It can be called again: the objects
  // of the run before are released first, and the devices stay open. After an error the replay can
  // still be destroyed or run again. Mismatches are no error, unless stop_at_mismatch says so, and
  // neither is a command that fails with continue_on_error.
  absl::StatusOr<ReplayResult> run(const RunOptions& options = {});

  // Runs have this schedule from the next one on, which opens its devices anew: their memory holds
  // zeros, as that of a device that has done nothing yet.
  void set_schedule(const Schedule& schedule);

  // Calls `look` for each buffer that the last run has left, in the order of their ids.
  absl::Status for_each_buffer(const std::function<void(const BufferContent&)>& look);

  // The buffers that have memory after the last run, on devices that are open, in ascending order
  // of their ids.
  std::vector<LivingBuffer> living_buffers();
  // All of one of them. NotFound when the file has no such buffer now; FailedPrecondition when it
  // cannot be read.
  absl::StatusOr<std::vector<uint8_t>> read_buffer(uint64_t id);

  // Why what is read on this machine may differ from the goldens, a line for each reason; mostly
  // none.
  const std::vector<std::string>& warnings() const;

  uint64_t num_commands() const;
  // How many devices the file opens, counted at each opening.
  uint64_t num_devices() const;

 private:
  class Impl;
  explicit Replay(std::unique_ptr<Impl> impl);

  const std::unique_ptr<Impl> impl_;
};

}  // namespace lightmetal
