#pragma once

#include <functional>

#include "tests/random_programs/host.h"
#include "tests/random_programs/mesh_host.h"
#include "tests/random_programs/surface.h"

namespace random_programs {

// What BeginCapture and EndCapture call.
struct Capture {
  std::function<void()> begin = [] {};
  std::function<void()> end = [] {};
};

template <class AnyHost>
void run_on(AnyHost& host, const Steps& steps, const Capture& capture) {
  host.begin_capture = capture.begin;
  host.end_capture = capture.end;
  run(steps, host);
}

// Takes all steps of the program by its surface.
inline void run_program(const RandomProgram& program, const Capture& capture = {}) {
  const Form form = is_specified(program.surface)   ? Form::kSpec
                    : is_described(program.surface) ? Form::kDescriptor
                                                    : Form::kCalls;
  if (const uint32_t devices = mesh_devices(program.surface)) {
    MeshHost host(form, devices);
    run_on(host, program.steps, capture);
  } else {
    Host host(form);
    run_on(host, program.steps, capture);
  }
}

}  // namespace random_programs
