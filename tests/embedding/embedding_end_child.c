/* Ends with 7, or by a signal, while threads run executables.
   Usage: embedding_end_child FOLDER WAY own|shared RUNS, with the files of write_programs. */
#define _POSIX_C_SOURCE 200809L
#include <lightmetal.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { kCode = 7, kThreads = 2 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int runs = 0;

static void* run_for_ever(void* executable) {
  static const uint32_t shape[2] = {4, 16};
  const uint32_t words[64] = {0};
  const lm_input x = {"x", LM_UINT32, shape, 2, words, sizeof(words)};
  while (lm_run(executable, NULL, &x, 1, NULL, 0, NULL) == LM_OK) {
    pthread_mutex_lock(&mutex);
    ++runs;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
  }
  return NULL;
}

static void wait_for(int count) {
  pthread_mutex_lock(&mutex);
  while (runs < count) pthread_cond_wait(&changed, &mutex);
  pthread_mutex_unlock(&mutex);
}

static void* exit_here(void* unused) {
  (void)unused;
  exit(kCode);
}

static void begin(void* (*function)(void*), void* argument) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, function, argument) != 0) abort();
}

static void load_and_begin(const char* folder, int shared) {
  static const char* const names[kThreads] = {"scaling.lmb", "next.lmb"};
  lm_load_options options;
  char path[4096];
  memset(&options, 0, sizeof(options));
  options.struct_size = sizeof(options);
  snprintf(path, sizeof(path), "%s/%s", folder, names[0]);
  if (shared && lm_open_device_file(path, NULL, &options.device, NULL) != LM_OK) exit(1);
  for (uint32_t i = 0; i < kThreads; ++i) {
    lm_executable* executable = NULL;
    if (!shared) options.chip_id = &i;
    snprintf(path, sizeof(path), "%s/%s", folder, names[i]);
    if (lm_load_file(path, &options, &executable, NULL) != LM_OK) exit(1);
    begin(run_for_ever, executable);
  }
}

int main(int count, char** arguments) {
  if (count != 5) return 2;
  const char* const way = arguments[2];
  load_and_begin(arguments[1], strcmp(arguments[3], "shared") == 0);
  wait_for(kThreads + atoi(arguments[4]));
  if (strcmp(way, "main returns") == 0) return kCode;
  if (strcmp(way, "exit") == 0) exit(kCode);
  if (strcmp(way, "_exit") == 0) _exit(kCode);
  if (strcmp(way, "a signal") == 0) raise(SIGTERM);
  if (strcmp(way, "exit on a thread") == 0) begin(exit_here, NULL);
  if (strcmp(way, "exit after main") == 0) {
    begin(exit_here, NULL);
    pthread_exit(NULL);
  }
  pause();
  return 1;
}
