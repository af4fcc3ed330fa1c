/* The C library as a C program uses it: what it is told in, what it answers, and what it refuses.
   Usage: embedding_c_test FOLDER, with the files of write_programs. */
#include <lightmetal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures = 0;

static void check(int holds, const char* what, int line) {
  if (holds) return;
  fprintf(stderr, "embedding_c_test.c:%d: %s\n", line, what);
  ++failures;
}
#define CHECK(condition) check((condition) ? 1 : 0, #condition, __LINE__)

enum { kWords = 64 };
static const uint32_t kShape[2] = {4, 16};
static const char* folder;

static const char* path_of(const char* name) {
  static char path[4096];
  snprintf(path, sizeof(path), "%s/%s", folder, name);
  return path;
}

static lm_executable* loaded(const char* name) {
  lm_executable* executable = NULL;
  lm_error* error = NULL;
  CHECK(lm_load_file(path_of(name), NULL, &executable, &error) == LM_OK);
  CHECK(executable != NULL && error == NULL);
  if (executable == NULL) {
    fprintf(stderr, "%s\n", lm_error_message(error));
    exit(1);
  }
  return executable;
}

static lm_input input(const char* name, const uint32_t* words) {
  lm_input result = {name, LM_UINT32, kShape, 2, words, kWords * sizeof(uint32_t)};
  return result;
}
static lm_output output(const char* name, uint32_t* words) {
  lm_output result = {name, LM_UINT32, kShape, 2, words, kWords * sizeof(uint32_t)};
  return result;
}

/* The call failed with this status and said this, and `*error` is freed. */
static void expect_error(lm_status status, lm_error** error, lm_status expected, const char* text,
                         int line) {
  const int right = status == expected && lm_error_status(*error) == expected &&
                    strstr(lm_error_message(*error), text) != NULL;
  check(right, text, line);
  if (!right) fprintf(stderr, "  status %u: %s\n", (unsigned)status, lm_error_message(*error));
  lm_free_error(*error);
  *error = NULL;
}

/* ---- What it does ---- */

static void describes_entries_and_tensors(void) {
  lm_executable* executable = loaded("scaling.lmb");
  lm_tensor tensor;
  CHECK(lm_entry_count(executable) == 1);
  CHECK(strcmp(lm_entry_name(executable, 0), "scale") == 0);
  CHECK(lm_entry_name(executable, 1) == NULL);
  CHECK(lm_tensor_count(executable) == 3);
  CHECK(lm_get_tensor(executable, 0, &tensor, NULL) == LM_OK);
  CHECK(strcmp(tensor.name, "x") == 0 && tensor.role == LM_INPUT && tensor.dtype == LM_UINT32);
  CHECK(tensor.rank == 2 && tensor.shape[0] == 4 && tensor.shape[1] == 16 && tensor.size == 256);
  CHECK(lm_get_tensor(executable, 1, &tensor, NULL) == LM_OK && tensor.role == LM_CONSTANT);
  CHECK(lm_get_tensor(executable, 2, &tensor, NULL) == LM_OK && tensor.role == LM_OUTPUT);
  lm_free_executable(executable);

  executable = loaded("scalar.lmb");
  CHECK(lm_get_tensor(executable, 0, &tensor, NULL) == LM_OK);
  CHECK(tensor.rank == 0 && tensor.shape != NULL && tensor.size == 4);
  lm_free_executable(executable);
}

static void runs_with_values_and_with_defaults(void) {
  lm_executable* executable = loaded("scaling.lmb");
  uint32_t x[kWords], y[kWords];
  const lm_output outputs[1] = {output("y", y)};
  uint32_t run, i;
  for (run = 0; run < 3; ++run) {
    const lm_input inputs[1] = {input("x", x)};
    lm_error* error = (lm_error*)x; /* this value is not read */
    for (i = 0; i < kWords; ++i) x[i] = 100 * run + i;
    CHECK(lm_run(executable, run == 0 ? NULL : "scale", inputs, 1, outputs, 1, &error) == LM_OK);
    CHECK(error == NULL);
    for (i = 0; i < kWords; ++i) CHECK(y[i] == 3 * x[i] + 1000 + i);
  }
  CHECK(lm_run(executable, NULL, NULL, 0, outputs, 1, NULL) == LM_OK);
  for (i = 0; i < kWords; ++i) CHECK(y[i] == 3 * (5 + i) + 1000 + i);
  lm_free_executable(executable);
}

/* Several executables live at once, also of one file, each on a chip of its own. */
static void loads_what_memory_holds_and_one_file_twice(void) {
  static const uint32_t chip_id = 1;
  static char bytes[1 << 22];
  FILE* file = fopen(path_of("scaling.lmb"), "rb");
  const size_t size = fread(bytes, 1, sizeof(bytes), file);
  lm_executable *first = NULL, *second = NULL;
  lm_error* error = NULL;
  uint32_t y[2][kWords];
  lm_load_options options;
  lm_output out;
  fclose(file);
  CHECK(lm_load_memory(bytes, size, NULL, &first, &error) == LM_OK);
  memset(bytes, 0, sizeof(bytes));
  CHECK(lm_load_file(path_of("scaling.lmb"), NULL, &second, NULL) != LM_OK && second == NULL);
  memset(&options, 0, sizeof(options));
  options.struct_size = sizeof(options);
  options.chip_id = &chip_id;
  CHECK(lm_load_file(path_of("scaling.lmb"), &options, &second, &error) == LM_OK);
  out = output("y", y[0]);
  CHECK(lm_run(first, NULL, NULL, 0, &out, 1, &error) == LM_OK);
  out = output("y", y[1]);
  CHECK(lm_run(second, NULL, NULL, 0, &out, 1, &error) == LM_OK);
  CHECK(memcmp(y[0], y[1], sizeof(y[0])) == 0 && y[0][0] == 1015);
  lm_free_executable(first);
  out = output("y", y[1]);
  CHECK(lm_run(second, NULL, NULL, 0, &out, 1, &error) == LM_OK);
  lm_free_executable(second);
}

static void loads_with_options(void) {
  const char* const keys[1] = {"no key"};
  lm_load_options options;
  lm_executable* executable = NULL;
  lm_error* error = NULL;
  memset(&options, 0, sizeof(options));
  options.struct_size = sizeof(options);
  options.backend = "cpu";
  CHECK(lm_load_file(path_of("scaling.lmb"), &options, &executable, &error) == LM_OK);
  lm_free_executable(executable);
  options.backend = "no_such_backend";
  expect_error(lm_load_file(path_of("scaling.lmb"), &options, &executable, &error), &error,
               LM_NOT_FOUND, "no_such_backend", __LINE__);
  CHECK(executable == NULL);
  options.backend = NULL;
  options.required_keys = keys;
  options.required_key_count = 1;
  CHECK(lm_load_file(path_of("scaling.lmb"), &options, &executable, NULL) != LM_OK);
  options.required_keys = NULL;
  expect_error(lm_load_file(path_of("scaling.lmb"), &options, &executable, &error), &error,
               LM_INVALID_ARGUMENT, "required_keys is NULL", __LINE__);
  /* As a caller that was compiled for the first version has them. */
  options.required_key_count = 0;
  options.struct_size = offsetof(lm_load_options, device);
  options.device = (lm_device*)&options;
  CHECK(lm_load_file(path_of("scaling.lmb"), &options, &executable, &error) == LM_OK);
  lm_free_executable(executable);
  options.struct_size = 3;
  expect_error(lm_load_file(path_of("scaling.lmb"), &options, &executable, &error), &error,
               LM_INVALID_ARGUMENT, "struct_size of 3", __LINE__);
  options.struct_size = sizeof(options) + 8;
  expect_error(lm_load_file(path_of("scaling.lmb"), &options, &executable, &error), &error,
               LM_INVALID_ARGUMENT, "another version", __LINE__);
}

/* ---- Several on one device ---- */

static lm_device* opened(void) {
  lm_device* device = NULL;
  lm_error* error = NULL;
  CHECK(lm_open_device_file(path_of("scaling.lmb"), NULL, &device, &error) == LM_OK);
  CHECK(device != NULL && error == NULL);
  return device;
}

static lm_executable* loaded_on(lm_device* device, const char* name) {
  lm_load_options options;
  lm_executable* executable = NULL;
  lm_error* error = NULL;
  memset(&options, 0, sizeof(options));
  options.struct_size = sizeof(options);
  options.device = device;
  CHECK(lm_load_file(path_of(name), &options, &executable, &error) == LM_OK);
  if (executable == NULL) {
    fprintf(stderr, "%s\n", lm_error_message(error));
    exit(1);
  }
  return executable;
}

static lm_device_tensor* tensor_of(const lm_executable* executable, const char* name) {
  lm_device_tensor* tensor = NULL;
  CHECK(lm_make_tensor(executable, name, &tensor, NULL) == LM_OK && tensor != NULL);
  return tensor;
}

static lm_operand on_device(const char* name, lm_device_tensor* tensor) {
  lm_operand result = {name, tensor, 0, NULL, 0, NULL, 0};
  return result;
}
static lm_operand on_host(const char* name, uint32_t* words) {
  lm_operand result = {name, NULL, LM_UINT32, kShape, 2, words, kWords * sizeof(uint32_t)};
  return result;
}

static uint64_t stat_of(const lm_device* device, const char* wanted) {
  const char* name = NULL;
  uint64_t value = 0;
  size_t i;
  for (i = 0; i < lm_stat_count(); ++i) {
    CHECK(lm_get_stat(device, i, &name, &value, NULL) == LM_OK);
    if (strcmp(name, wanted) == 0) return value;
  }
  check(0, wanted, __LINE__);
  return 0;
}
static uint64_t host_bytes(const lm_device* device) {
  return stat_of(device, "host_to_device_bytes") + stat_of(device, "device_to_host_bytes");
}

/* What the second computes of what the first has: x is what the first is given. */
static uint32_t chained(uint32_t x, uint32_t i) { return 5 * (3 * x + 1000 + i) + 7 + i; }

static void hands_values_from_one_to_the_next_on_the_device(void) {
  lm_device* device = opened();
  lm_executable *first = loaded_on(device, "scaling.lmb"), *second = loaded_on(device, "next.lmb");
  lm_device_tensor *y = tensor_of(first, "y"), *z = tensor_of(second, "y");
  uint32_t x[kWords], words[kWords], run, i;
  for (run = 0; run < 3; ++run) {
    const lm_operand given = on_host("x", x), between = on_device("y", y),
                     taken = on_device("x", y), result = on_device("y", z);
    uint64_t before, copies, copied;
    for (i = 0; i < kWords; ++i) x[i] = 10 * run + i;
    CHECK(lm_run_operands(first, NULL, &given, 1, &between, 1, NULL) == LM_OK);
    before = host_bytes(device);
    copies = stat_of(device, "device_copies");
    copied = stat_of(device, "device_copied_bytes");
    CHECK(lm_run_operands(second, "scale", &taken, 1, &result, 1, NULL) == LM_OK);
    CHECK(host_bytes(device) == before && stat_of(device, "host_round_trips") == 0);
    CHECK(stat_of(device, "device_copies") == copies + 2);
    CHECK(stat_of(device, "device_copied_bytes") == copied + 2 * sizeof(words));
    CHECK(stat_of(device, "relayouts") == run); /* one for each read */
    CHECK(stat_of(device, "relocations") == 0);
    CHECK(stat_of(device, "cleared_bytes") == 0 && stat_of(device, "trace_reloads") == 0);
    CHECK(lm_read_tensor(z, words, sizeof(words), NULL) == LM_OK);
    CHECK(host_bytes(device) == before + sizeof(words));
    for (i = 0; i < kWords; ++i) CHECK(words[i] == chained(x[i], i));
  }
  lm_free_tensor(y);
  lm_free_tensor(z);
  lm_free_executable(first);
  lm_free_executable(second);
  lm_free_device(device);
}

static void takes_tensors_and_memory_in_one_call(void) {
  lm_device* device = opened();
  lm_executable* executable = loaded_on(device, "scaling.lmb");
  lm_device_tensor* x = tensor_of(executable, "x");
  uint32_t words[kWords], y[kWords], i;
  const lm_operand given = on_device("x", x), wanted = on_host("y", y);
  const lm_input in = input("x", words);
  const lm_output out = output("y", y);
  for (i = 0; i < kWords; ++i) words[i] = 7 * i;
  CHECK(lm_write_tensor(x, words, sizeof(words), NULL) == LM_OK);
  CHECK(lm_run_operands(executable, NULL, &given, 1, &wanted, 1, NULL) == LM_OK);
  for (i = 0; i < kWords; ++i) CHECK(y[i] == 21 * i + 1000 + i);
  CHECK(lm_run_operands(executable, NULL, NULL, 0, &wanted, 1, NULL) == LM_OK && y[0] == 1015);
  CHECK(lm_run(executable, NULL, &in, 1, &out, 1, NULL) == LM_OK && y[1] == 1022);
  lm_free_tensor(x);
  lm_free_device(device);
  CHECK(lm_run(executable, NULL, &in, 1, &out, 1, NULL) == LM_OK && y[1] == 1022);
  lm_free_executable(executable);
}

static void converts_inputs_that_lie_in_another_way(void) {
  lm_device* device = opened();
  lm_executable *first = loaded_on(device, "scaling.lmb"),
                *second = loaded_on(device, "next_in_tiles.lmb");
  lm_device_tensor *y = tensor_of(first, "y"), *tiles = tensor_of(second, "y");
  uint32_t words[kWords], i;
  const lm_operand between = on_device("y", y), taken = on_device("x", y),
                   result = on_host("y", words), wrong = on_device("y", tiles);
  lm_error* error = NULL;
  CHECK(lm_run_operands(first, NULL, NULL, 0, &between, 1, NULL) == LM_OK);
  CHECK(lm_run_operands(second, NULL, &taken, 1, &result, 1, NULL) == LM_OK);
  for (i = 0; i < kWords; ++i) CHECK(words[i] == 5 * (3 * (5 + i) + 1000 + i) + 7);
  CHECK(stat_of(device, "relayouts") == 1);
  CHECK(stat_of(device, "cleared_bytes") == 4096); /* the tile of x */
  expect_error(lm_run_operands(first, NULL, NULL, 0, &wrong, 1, &error), &error,
               LM_FAILED_PRECONDITION, "lies in another way", __LINE__);
  CHECK(lm_run_operands(first, NULL, NULL, 0, &between, 1, NULL) == LM_OK);
  lm_free_tensor(y);
  lm_free_tensor(tiles);
  lm_free_executable(second);
  lm_free_executable(first);
  lm_free_device(device);
}

static void converts_several_inputs_at_once(void) {
  lm_device* device = opened();
  lm_executable *rows = loaded_on(device, "scaling.lmb"),
                *tiles = loaded_on(device, "two_inputs_in_tiles.lmb");
  lm_device_tensor *x = tensor_of(rows, "y"), *w = tensor_of(rows, "y");
  uint32_t xs[kWords], ws[kWords], words[kWords], i;
  const lm_operand given[2] = {on_device("x", x), on_device("w", w)};
  const lm_operand result = on_host("y", words);
  for (i = 0; i < kWords; ++i) {
    xs[i] = 3 * i + 1;
    ws[i] = 1000 - i;
  }
  CHECK(lm_write_tensor(x, xs, sizeof(xs), NULL) == LM_OK);
  CHECK(lm_write_tensor(w, ws, sizeof(ws), NULL) == LM_OK);
  CHECK(lm_run_operands(tiles, NULL, given, 2, &result, 1, NULL) == LM_OK);
  for (i = 0; i < kWords; ++i) CHECK(words[i] == 5 * xs[i] + ws[i]);
  lm_free_tensor(x);
  lm_free_tensor(w);
  lm_free_executable(tiles);
  lm_free_executable(rows);
  lm_free_device(device);
}

/* Each input has a shape of its own, and one that is given nothing has its default. */
static void makes_a_tensor_for_each_input(void) {
  lm_device* device = opened();
  lm_executable* executable = loaded_on(device, "two_shapes.lmb");
  lm_device_tensor* w = tensor_of(executable, "w");
  uint32_t words[kWords], y[kWords], i;
  const lm_operand given = on_device("w", w), result = on_host("y", y);
  lm_error* error = NULL;
  for (i = 0; i < kWords; ++i) words[i] = 9 * i;
  expect_error(lm_write_tensor(w, words, sizeof(words), &error), &error, LM_INVALID_ARGUMENT,
               "256 bytes for a tensor of 128", __LINE__);
  CHECK(lm_write_tensor(w, words, sizeof(words) / 2, NULL) == LM_OK);
  CHECK(lm_run_operands(executable, NULL, &given, 1, &result, 1, NULL) == LM_OK);
  for (i = 0; i < kWords; ++i) CHECK(y[i] == 2 * (5 + i) + (i < kWords / 2 ? 9 * i : 0));
  lm_free_tensor(w);
  lm_free_executable(executable);
  lm_free_device(device);
}

static void refuses_what_does_not_share_the_device(void) {
  static const uint32_t chip_id = 1;
  lm_device *device = opened(), *other = NULL;
  lm_executable *first = loaded_on(device, "scaling.lmb"), *second = NULL, *alone = NULL;
  lm_device_tensor *y = tensor_of(first, "y"), *none = NULL;
  const lm_operand between = on_device("y", y), taken = on_device("x", y);
  uint32_t words[kWords];
  lm_operand operands[2];
  lm_error* error = NULL;
  lm_load_options options;
  memset(&options, 0, sizeof(options));
  options.struct_size = sizeof(options);
  options.device = device;
  /* What lies where the first does. */
  expect_error(lm_load_file(path_of("scaling.lmb"), &options, &second, &error), &error,
               LM_FAILED_PRECONDITION, "LIGHTMETAL_ALLOCATOR_OFFSET", __LINE__);
  options.chip_id = &chip_id;
  expect_error(lm_load_file(path_of("next.lmb"), &options, &second, &error), &error,
               LM_INVALID_ARGUMENT, "a device is given", __LINE__);
  options.chip_id = NULL;
  options.backend = "cpu";
  expect_error(lm_load_file(path_of("next.lmb"), &options, &second, &error), &error,
               LM_INVALID_ARGUMENT, "a device is given", __LINE__);
  options.backend = NULL;
  expect_error(lm_open_device_file(path_of("next.lmb"), &options, &other, &error), &error,
               LM_INVALID_ARGUMENT, "name a device", __LINE__);
  options.device = NULL;
  options.chip_id = &chip_id;
  CHECK(lm_load_file(path_of("next.lmb"), &options, &alone, NULL) == LM_OK);
  expect_error(lm_run_operands(alone, NULL, &taken, 1, NULL, 0, &error), &error,
               LM_FAILED_PRECONDITION, "x lies on another device", __LINE__);
  expect_error(lm_make_tensor(alone, "x", &none, &error), &error, LM_FAILED_PRECONDITION,
               "loaded without", __LINE__);
  lm_free_executable(alone);
  CHECK(lm_open_device_file(path_of("next.lmb"), &options, &other, NULL) == LM_OK);
  second = loaded_on(other, "next.lmb");
  expect_error(lm_run_operands(second, NULL, &taken, 1, NULL, 0, &error), &error,
               LM_FAILED_PRECONDITION, "x lies on another device", __LINE__);
  lm_free_executable(second);
  lm_free_device(other);
  /* Nothing of this has spoilt the tensor. */
  operands[0] = between;
  operands[1] = between;
  expect_error(lm_run_operands(first, NULL, NULL, 0, operands, 2, &error), &error,
               LM_INVALID_ARGUMENT, "y is asked for twice", __LINE__);
  expect_error(lm_run_operands(first, NULL, &between, 1, NULL, 0, &error), &error,
               LM_INVALID_ARGUMENT, "y is no input", __LINE__);
  expect_error(lm_run_operands(first, "none", NULL, 0, &between, 1, &error), &error, LM_NOT_FOUND,
               "\"none\"", __LINE__);
  CHECK(lm_run_operands(first, NULL, NULL, 0, &between, 1, NULL) == LM_OK);
  CHECK(lm_read_tensor(y, words, sizeof(words), NULL) == LM_OK && words[0] == 1015);
  lm_free_tensor(y);
  lm_free_executable(first);
  lm_free_device(device);
}

static void refuses_null_for_devices_and_tensors(void) {
  lm_device *device = opened(), *no_device = NULL;
  lm_executable* executable = loaded_on(device, "scaling.lmb");
  lm_device_tensor *tensor = tensor_of(executable, "x"), *none = NULL;
  lm_error* error = NULL;
  const char* name;
  uint64_t value;
  uint32_t words[kWords];
  lm_operand in = on_device(NULL, tensor);
  no_device = (lm_device*)words; /* this value is not kept */
  none = (lm_device_tensor*)words;
  expect_error(lm_open_device_file(NULL, NULL, &no_device, &error), &error, LM_INVALID_ARGUMENT,
               "path", __LINE__);
  expect_error(lm_open_device_memory(NULL, 3, NULL, &no_device, &error), &error,
               LM_INVALID_ARGUMENT, "data", __LINE__);
  expect_error(lm_open_device_file("x", NULL, NULL, &error), &error, LM_INVALID_ARGUMENT, "device",
               __LINE__);
  expect_error(lm_open_device_memory("nonsense", 8, NULL, &no_device, &error), &error,
               LM_INVALID_ARGUMENT, "the file in memory", __LINE__);
  CHECK(no_device == NULL);
  expect_error(lm_get_stat(NULL, 0, &name, &value, &error), &error, LM_INVALID_ARGUMENT, "device",
               __LINE__);
  expect_error(lm_get_stat(device, SIZE_MAX, &name, &value, &error), &error, LM_OUT_OF_RANGE,
               "there are", __LINE__);
  expect_error(lm_get_stat(device, lm_stat_count(), &name, &value, &error), &error, LM_OUT_OF_RANGE,
               "there are", __LINE__);
  CHECK(lm_get_stat(device, 0, NULL, &value, NULL) == LM_INVALID_ARGUMENT);
  CHECK(lm_get_stat(device, 0, &name, NULL, NULL) == LM_INVALID_ARGUMENT);
  expect_error(lm_make_tensor(NULL, "x", &none, &error), &error, LM_INVALID_ARGUMENT, "executable",
               __LINE__);
  CHECK(lm_make_tensor(executable, NULL, &none, NULL) == LM_INVALID_ARGUMENT);
  CHECK(lm_make_tensor(executable, "x", NULL, NULL) == LM_INVALID_ARGUMENT);
  expect_error(lm_make_tensor(executable, "w", &none, &error), &error, LM_NOT_FOUND, "\"w\"",
               __LINE__);
  CHECK(none == NULL);
  CHECK(lm_write_tensor(NULL, words, sizeof(words), NULL) == LM_INVALID_ARGUMENT);
  CHECK(lm_read_tensor(NULL, words, sizeof(words), NULL) == LM_INVALID_ARGUMENT);
  CHECK(lm_write_tensor(tensor, NULL, sizeof(words), NULL) == LM_INVALID_ARGUMENT);
  CHECK(lm_read_tensor(tensor, NULL, sizeof(words), NULL) == LM_INVALID_ARGUMENT);
  expect_error(lm_write_tensor(tensor, words, 8, &error), &error, LM_INVALID_ARGUMENT,
               "8 bytes for a tensor of 256", __LINE__);
  expect_error(lm_run_operands(executable, NULL, &in, 1, NULL, 0, &error), &error,
               LM_INVALID_ARGUMENT, "the name of input 0 is NULL", __LINE__);
  lm_free_tensor(NULL);
  lm_free_device(NULL);
  lm_free_tensor(tensor);
  lm_free_executable(executable);
  lm_free_device(device);
}

/* ---- What it refuses ---- */

static void refuses_files_that_are_none(void) {
  lm_executable* executable = NULL;
  lm_error* error = NULL;
  expect_error(lm_load_file(path_of("missing.lmb"), NULL, &executable, &error), &error,
               LM_NOT_FOUND, "missing.lmb", __LINE__);
  expect_error(lm_load_memory("nonsense", 8, NULL, &executable, &error), &error,
               LM_INVALID_ARGUMENT, "the file in memory", __LINE__);
  CHECK(lm_load_memory("", 0, NULL, &executable, NULL) != LM_OK);
  CHECK(executable == NULL);
}

static void refuses_null(void) {
  lm_executable* executable = loaded("scaling.lmb");
  lm_executable* none = NULL;
  lm_error* error = NULL;
  lm_tensor tensor;
  uint32_t words[kWords] = {0};
  lm_input in = input("x", words);
  expect_error(lm_load_file(NULL, NULL, &none, &error), &error, LM_INVALID_ARGUMENT, "path",
               __LINE__);
  expect_error(lm_load_file("x", NULL, NULL, &error), &error, LM_INVALID_ARGUMENT, "executable",
               __LINE__);
  expect_error(lm_load_memory(NULL, 5, NULL, &none, &error), &error, LM_INVALID_ARGUMENT, "data",
               __LINE__);
  CHECK(lm_entry_count(NULL) == 0 && lm_tensor_count(NULL) == 0);
  CHECK(lm_entry_name(NULL, 0) == NULL);
  expect_error(lm_get_tensor(NULL, 0, &tensor, &error), &error, LM_INVALID_ARGUMENT, "executable",
               __LINE__);
  expect_error(lm_get_tensor(executable, 0, NULL, &error), &error, LM_INVALID_ARGUMENT, "tensor",
               __LINE__);
  expect_error(lm_get_tensor(executable, SIZE_MAX, &tensor, &error), &error, LM_OUT_OF_RANGE,
               "there are 3", __LINE__);
  expect_error(lm_get_tensor(executable, 3, &tensor, &error), &error, LM_OUT_OF_RANGE,
               "there is no tensor 3", __LINE__);
  expect_error(lm_run(NULL, NULL, NULL, 0, NULL, 0, &error), &error, LM_INVALID_ARGUMENT,
               "executable", __LINE__);
  expect_error(lm_run(executable, NULL, NULL, 1, NULL, 0, &error), &error, LM_INVALID_ARGUMENT,
               "inputs is NULL", __LINE__);
  expect_error(lm_run(executable, NULL, NULL, 0, NULL, 7, &error), &error, LM_INVALID_ARGUMENT,
               "outputs is NULL", __LINE__);
  in.name = NULL;
  expect_error(lm_run(executable, NULL, &in, 1, NULL, 0, &error), &error, LM_INVALID_ARGUMENT,
               "the name of input 0 is NULL", __LINE__);
  in = input("x", words);
  in.shape = NULL;
  expect_error(lm_run(executable, NULL, &in, 1, NULL, 0, &error), &error, LM_INVALID_ARGUMENT,
               "the shape of input 0, x, is NULL", __LINE__);
  in = input("x", NULL);
  expect_error(lm_run(executable, NULL, &in, 1, NULL, 0, &error), &error, LM_INVALID_ARGUMENT,
               "are null", __LINE__);
  CHECK(strcmp(lm_error_message(NULL), "") == 0 && lm_error_status(NULL) == LM_OK);
  lm_free_error(NULL);
  lm_free_executable(NULL);
  lm_free_executable(executable);
}

static void refuses_values_that_do_not_fit(void) {
  lm_executable* executable = loaded("scaling.lmb");
  lm_error* error = NULL;
  uint32_t words[kWords] = {0}, y[kWords] = {7};
  lm_input in = input("z", words);
  lm_output out = output("y", y);
  expect_error(lm_run(executable, "decode", NULL, 0, NULL, 0, &error), &error, LM_NOT_FOUND,
               "\"decode\"", __LINE__);
  expect_error(lm_run(executable, NULL, &in, 1, &out, 1, &error), &error, LM_NOT_FOUND, "\"z\"",
               __LINE__);
  in = input("x", words);
  in.dtype = 99;
  expect_error(lm_run(executable, NULL, &in, 1, &out, 1, &error), &error, LM_INVALID_ARGUMENT,
               "has the dtype 99", __LINE__);
  in.dtype = 0;
  expect_error(lm_run(executable, NULL, &in, 1, &out, 1, &error), &error, LM_INVALID_ARGUMENT,
               "has the dtype 0, which is none", __LINE__);
  in.dtype = LM_FLOAT32;
  expect_error(lm_run(executable, NULL, &in, 1, &out, 1, &error), &error, LM_INVALID_ARGUMENT,
               "are float32, expected uint32", __LINE__);
  in = input("x", words);
  in.rank = SIZE_MAX;
  expect_error(lm_run(executable, NULL, &in, 1, &out, 1, &error), &error, LM_INVALID_ARGUMENT,
               "dimensions, expected at most 8", __LINE__);
  in.rank = 1;
  expect_error(lm_run(executable, NULL, &in, 1, &out, 1, &error), &error, LM_INVALID_ARGUMENT,
               "shape [4], expected [4, 16]", __LINE__);
  in = input("x", words);
  in.size = SIZE_MAX;
  expect_error(lm_run(executable, NULL, &in, 1, &out, 1, &error), &error, LM_INVALID_ARGUMENT,
               "bytes, expected 256", __LINE__);
  in = input("x", words);
  expect_error(lm_run(executable, NULL, &in, SIZE_MAX, &out, 1, &error), &error,
               LM_INVALID_ARGUMENT, "expected at most 65536", __LINE__);
  expect_error(lm_run(executable, NULL, &in, 1, (const lm_output*)&in, 1, &error), &error,
               LM_INVALID_ARGUMENT, "x is no output", __LINE__);
  CHECK(y[0] == 7);
  CHECK(lm_run(executable, NULL, &in, 1, &out, 1, &error) == LM_OK && y[0] == 1000);
  lm_free_executable(executable);

  executable = loaded("two_entries.lmb");
  expect_error(lm_run(executable, NULL, NULL, 0, NULL, 0, &error), &error, LM_INVALID_ARGUMENT,
               "there are 2: twice, sevenfold", __LINE__);
  lm_free_executable(executable);
}

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  folder = argv[1];
  CHECK(strlen(lm_version()) > 0);
  describes_entries_and_tensors();
  runs_with_values_and_with_defaults();
  loads_what_memory_holds_and_one_file_twice();
  loads_with_options();
  hands_values_from_one_to_the_next_on_the_device();
  takes_tensors_and_memory_in_one_call();
  converts_inputs_that_lie_in_another_way();
  converts_several_inputs_at_once();
  makes_a_tensor_for_each_input();
  refuses_what_does_not_share_the_device();
  refuses_null_for_devices_and_tensors();
  refuses_files_that_are_none();
  refuses_null();
  refuses_values_that_do_not_fit();
  if (failures == 0) printf("all checks hold, version %s\n", lm_version());
  return failures == 0 ? 0 : 1;
}
