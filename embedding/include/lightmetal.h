#ifndef LIGHTMETAL_H_
#define LIGHTMETAL_H_

#include <stddef.h>
#include <stdint.h>

// Light Metal for programs of any language: a captured program with names (docs/executables.md) is
// loaded once and run many times, with values for its inputs. It is the C form of
// <lightmetal/executable.hpp>; liblightmetal.so holds all of it, and exports nothing else.
//
//   lm_executable* executable = NULL;
//   lm_error* error = NULL;
//   if (lm_load_file("block.lmb", NULL, &executable, &error) != LM_OK) {
//     fprintf(stderr, "%s\n", lm_error_message(error));
//     lm_free_error(error);
//   }
//
// Calls never throw, never print and never end the process. They have no state but that of what
// they make: different executables may be used by different threads at the same time, also on one
// device, one executable by one thread at a time; devices and device tensors by several. NULL, an
// index beyond the last, and numbers that stand for nothing are errors; other pointers must point
// to what they say. Texts are UTF-8 and end with a 0.
//
// Values and structures keep their numbers and their layout: what is new gets new names, or lies at
// the end of a structure with a struct_size.
#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

// "0.1.0". Never NULL.
const char* lm_version(void);

// ---- Errors ----

// What a call comes to. Another value may be an error that a later version has.
typedef uint32_t lm_status;
enum {
  LM_OK = 0,
  LM_CANCELLED = 1,
  LM_UNKNOWN = 2,
  LM_INVALID_ARGUMENT = 3,  // NULL, a wrong type, shape or size; a file that is none of ours
  LM_DEADLINE_EXCEEDED = 4,
  LM_NOT_FOUND = 5,  // there is no such file, entry, tensor or backend
  LM_ALREADY_EXISTS = 6,
  LM_PERMISSION_DENIED = 7,    // a file that may not be read
  LM_RESOURCE_EXHAUSTED = 8,   // memory, or a limit
  LM_FAILED_PRECONDITION = 9,  // a file that does not fit this device or cannot be run again
  LM_ABORTED = 10,
  LM_OUT_OF_RANGE = 11,
  LM_UNIMPLEMENTED = 12,
  LM_INTERNAL = 13,  // the device, or a kernel on it
  LM_UNAVAILABLE = 14,
  LM_DATA_LOSS = 15,       // a damaged file
  LM_UNAUTHENTICATED = 16  // a file without a right signature of a key that is required
};

// What went wrong. Calls that return an lm_status take an `lm_error** error` last: unless that is
// NULL, *error is afterwards NULL for LM_OK, and otherwise an error that the caller frees. What it
// held before is not read. It is NULL, too, where there was no memory left to say more.
typedef struct lm_error lm_error;

// Says what, where, what was expected and what was found, without a newline at the end; empty for
// NULL. It lives as long as the error.
const char* lm_error_message(const lm_error* error);
// What the call returned; LM_OK for NULL.
lm_status lm_error_status(const lm_error* error);
// Does nothing for NULL.
void lm_free_error(lm_error* error);

// ---- Load ----

// A captured program that is loaded. It holds its device until it is freed.
typedef struct lm_executable lm_executable;
// A device that several executables share; see below.
typedef struct lm_device lm_device;

// All members but the first may be 0, which is the default.
typedef struct lm_load_options {
  // sizeof(lm_load_options), as the caller was compiled; members behind it are 0.
  size_t struct_size;
  // What runs the program: "cpu", "null", or a library as LIGHTMETAL_DEVICE names it, which is
  // loaded. NULL or empty for the recorded one.
  const char* backend;
  // The chip that stands for the first recorded one. One chip holds one executable, or one
  // lm_device with several: give each that lives beside others a chip of its own. NULL for the
  // recorded one.
  const uint32_t* chip_id;
  // Texts of public key files (`lightmetal_runner keygen`): the file must be signed by one of these
  // keys. Kernels are code: require a key for files of others. With none any file is taken.
  const char* const* required_keys;
  size_t required_key_count;
  // In bytes: how much a file may claim on the host for its devices and data. 0 for 64 GiB.
  uint64_t memory_limit;
  // Not 0: a file whose capture was cut short is loaded as far as it goes.
  int32_t allow_incomplete;
  // Where the executable is loaded, beside others; backend and chip_id are NULL then. NULL: a
  // device of its own is opened.
  lm_device* device;
} lm_load_options;

// Load a file, or what one holds, which is copied. `options` may be NULL. All that runs do not do
// again is done here: the device is opened, kernels are loaded, constants are written. Nothing is
// compiled. On success *executable is one that the caller frees, otherwise NULL.
lm_status lm_load_file(const char* path, const lm_load_options* options, lm_executable** executable,
                       lm_error** error);
lm_status lm_load_memory(const void* data, size_t size, const lm_load_options* options,
                         lm_executable** executable, lm_error** error);

// Frees all that load has made, and closes its device unless others share it. Does nothing for
// NULL.
void lm_free_executable(lm_executable* executable);

// ---- What it has ----

// The parts of the program that are run by name, in the order of the file; "main" alone where the
// program names none. 0 for NULL.
size_t lm_entry_count(const lm_executable* executable);
// NULL for NULL and for an index beyond the last. It lives as long as the executable.
const char* lm_entry_name(const lm_executable* executable, size_t index);

// What elements are.
typedef uint32_t lm_dtype;
enum {
  LM_UINT8 = 1,
  LM_UINT16 = 2,
  LM_INT32 = 3,
  LM_UINT32 = 4,
  LM_FLOAT32 = 5,
  LM_BFLOAT16 = 6  // the upper half of a float32
};

// What a tensor is to who runs the program.
typedef uint32_t lm_role;
enum {
  LM_INPUT = 0,   // may be given values; has those of the capture otherwise
  LM_OUTPUT = 1,  // may be asked for
  LM_IN_OUT = 2,  // both; keeps what a run leaves in it
  LM_CONSTANT = 3
};

// What buffers with a name hold: row by row without padding, however they lie on the device.
typedef struct lm_tensor {
  const char* name;
  lm_role role;
  lm_dtype dtype;
  const uint32_t* shape;  // `rank` numbers; not NULL
  size_t rank;            // 0 for a single element, at most 8
  uint64_t size;          // of all elements, in bytes
} lm_tensor;

// In the order of the file. 0 for NULL.
size_t lm_tensor_count(const lm_executable* executable);
// Fills *tensor; what it points to lives as long as the executable. LM_OUT_OF_RANGE for an index
// beyond the last.
lm_status lm_get_tensor(const lm_executable* executable, size_t index, lm_tensor* tensor,
                        lm_error** error);

// ---- Run ----

// Values for an input, and room for those of an output. dtype, shape and size are said again by who
// gives the memory, and compared with the tensor's.
typedef struct lm_input {
  const char* name;
  lm_dtype dtype;
  const uint32_t* shape;  // may be NULL for rank 0
  size_t rank;
  const void* data;
  size_t size;
} lm_input;
typedef struct lm_output {
  const char* name;
  lm_dtype dtype;
  const uint32_t* shape;
  size_t rank;
  void* data;
  size_t size;
} lm_output;

// Runs an entry, waits for its end, and fills the outputs. `entry` may be NULL where there is only
// one. The memory of inputs and outputs is the caller's, needs no alignment, and must not overlap;
// `inputs` may be NULL with a count of 0, `outputs` too. An input that is given no value has the
// one of the capture; an output that is not asked for is not read.
//
// LM_NOT_FOUND for a name that there is not, LM_INVALID_ARGUMENT for a wrong dtype, shape or size,
// a name that comes twice, and an input as an output or the other way round: nothing has been done
// then, and outputs are as they were. Any other error of the run itself ends the executable: later
// runs are LM_FAILED_PRECONDITION.
lm_status lm_run(lm_executable* executable, const char* entry, const lm_input* inputs,
                 size_t input_count, const lm_output* outputs, size_t output_count,
                 lm_error** error);

// ---- Several on one device ----
//
// Executables that share a device hand values from one to the next without a way over the host:
//
//   lm_load_options options = {sizeof(options)};
//   lm_open_device_file("first.lmb", NULL, &options.device, &error);
//   lm_load_file("first.lmb", &options, &first, &error);
//   lm_load_file("second.lmb", &options, &second, &error);
//   lm_make_tensor(first, "y", &between, &error);
//   lm_operand y = {"y", between}, x = {"x", between};
//   lm_run_operands(first, NULL, NULL, 0, &y, 1, &error);
//   lm_run_operands(second, NULL, &x, 1, NULL, 0, &error);
//
// Buffers lie on a device where they were captured: files that are to share one are captured with
// different LIGHTMETAL_ALLOCATOR_OFFSET. Where two of them overlap, the second load is
// LM_FAILED_PRECONDITION, and so is one that finds a tensor there: executables are loaded before
// tensors are made. Runs on one device follow one another, whichever threads ask for them.

// Open the device that a file was captured on first, with the sizes of memory that it asks for;
// nothing of the file is executed. Of the options, `device` must be NULL. On success *device is one
// that the caller frees, otherwise NULL.
lm_status lm_open_device_file(const char* path, const lm_load_options* options, lm_device** device,
                              lm_error** error);
lm_status lm_open_device_memory(const void* data, size_t size, const lm_load_options* options,
                                lm_device** device, lm_error** error);
// The device is closed once its executables and tensors are freed, too. Does nothing for NULL.
void lm_free_device(lm_device* device);

// What has been moved on a device since it was opened, by names such as "host_to_device_bytes",
// "device_to_host_bytes", "device_copies" and "host_round_trips": copies from tensor to tensor that
// went over the host. A later version may have more. *name lives for ever. LM_OUT_OF_RANGE for an
// index beyond the last.
size_t lm_stat_count(void);
lm_status lm_get_stat(const lm_device* device, size_t index, const char** name, uint64_t* value,
                      lm_error** error);

// A value in the memory of a device, beside the buffers of executables.
typedef struct lm_device_tensor lm_device_tensor;

// Makes one that lies as the executable has its input or output of that name; what it holds is not
// known. LM_FAILED_PRECONDITION for an executable that shares no device, LM_RESOURCE_EXHAUSTED
// where memory is short. On success *tensor is one that the caller frees, otherwise NULL.
lm_status lm_make_tensor(const lm_executable* executable, const char* name,
                         lm_device_tensor** tensor, lm_error** error);
// Waits for work on it. Does nothing for NULL.
void lm_free_tensor(lm_device_tensor* tensor);

// Copy all elements, row by row, and wait for that. `size` is compared with the tensor's, in bytes.
lm_status lm_write_tensor(lm_device_tensor* tensor, const void* data, size_t size,
                          lm_error** error);
lm_status lm_read_tensor(const lm_device_tensor* tensor, void* data, size_t size, lm_error** error);

// A value for an input, or room for an output: a tensor on the executable's device, or, where that
// is NULL, memory as lm_input and lm_output name it. Of an input, the memory is only read.
typedef struct lm_operand {
  const char* name;
  lm_device_tensor* tensor;
  lm_dtype dtype;
  const uint32_t* shape;
  size_t rank;
  void* data;
  size_t size;
} lm_operand;

// As lm_run(), which is the same without tensors. A tensor has the dtype and the shape of what it
// stands for. Its values are copied within the device; an input that lies in another way than the
// executable's own is converted before, and an output must lie in the same way
// (LM_FAILED_PRECONDITION, with nothing done; tensors of other devices, too). A tensor may be an
// input and an output of one call. After an error that ends the executable, tensors that were to be
// written can only be freed.
lm_status lm_run_operands(lm_executable* executable, const char* entry, const lm_operand* inputs,
                          size_t input_count, const lm_operand* outputs, size_t output_count,
                          lm_error** error);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif  // LIGHTMETAL_H_
