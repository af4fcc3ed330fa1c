#include "capture/builder.h"

namespace lightmetal::capture {
namespace {

// A plain pointer, so that it can be read after the thread's objects were destroyed.
thread_local constinit flatbuffers::FlatBufferBuilder* t_builder = nullptr;

struct Cleanup {
  ~Cleanup() {
    delete t_builder;
    t_builder = nullptr;
  }
  void touch() {}
};

thread_local Cleanup t_cleanup;

flatbuffers::FlatBufferBuilder& make_builder() {
  // A builder that is made after the thread's clean-up lives as long as the process.
  t_builder = new flatbuffers::FlatBufferBuilder(4096);
  t_cleanup.touch();
  return *t_builder;
}

}  // namespace

flatbuffers::FlatBufferBuilder& thread_builder() {
  return t_builder != nullptr ? *t_builder : make_builder();
}

}  // namespace lightmetal::capture
