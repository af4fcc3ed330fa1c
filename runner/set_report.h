#pragma once

#include <cstdint>
#include <string>

#include "schema/verify/argument_edit.h"
#include "schema/verify/kernel_edit.h"
#include "schema/verify/payload_edit.h"

// What `set` says it has changed.
namespace lightmetal::runner {

struct SetReport {
  const std::string& file;
  const std::string& output;
  const schema::ArgumentEditor& arguments;
  const schema::PayloadEditor& payloads;
  const schema::KernelEditor& kernels;
  uint64_t signatures_dropped = 0;
};

// Prints it on standard output, as text or as docs/set.schema.json describes it.
void print(const SetReport& report, bool is_json);

}  // namespace lightmetal::runner
