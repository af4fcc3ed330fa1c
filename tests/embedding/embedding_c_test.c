/* The C library as a C program uses it: what it is told in, what it answers, and what it refuses.
   Usage: embedding_c_test FOLDER, with the files of write_programs. */
#include <lightmetal.h>
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
    for (i = 0; i < kWords; ++i) x[i] = 100 * run + i;
    CHECK(lm_run(executable, run == 0 ? NULL : "scale", inputs, 1, outputs, 1, NULL) == LM_OK);
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
  options.struct_size = 3;
  expect_error(lm_load_file(path_of("scaling.lmb"), &options, &executable, &error), &error,
               LM_INVALID_ARGUMENT, "struct_size of 3", __LINE__);
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
  refuses_files_that_are_none();
  refuses_null();
  refuses_values_that_do_not_fit();
  if (failures == 0) printf("all checks hold, version %s\n", lm_version());
  return failures == 0 ? 0 : 1;
}
