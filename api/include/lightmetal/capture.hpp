#pragma once

#include <string>

// Capture beyond upstream's LightMetalBeginCapture() and LightMetalEndCapture(), which
// <tt-metalium/host_api.hpp> declares.
//
// A process has one capture at a time; every thread's calls go into it. Objects that are older than
// the capture, other than open devices, cannot be used in it. The first call that cannot be
// recorded ends the recording; the program runs on unharmed, and LightMetalEndCapture() throws
// std::runtime_error with the reason, which the file holds too.
//
// LIGHTMETAL_CAPTURE=FILE in the environment captures a program from its first call to its exit
// without any of these calls, with read_goldens unless LIGHTMETAL_CAPTURE_READ_GOLDENS=0. %p in
// FILE stands for the process id. It takes precedence: LightMetalBeginCapture() then says so on
// standard error and does nothing, and LightMetalEndCapture() returns an empty binary.
//
// Built with LIGHTMETAL_ENABLE_CAPTURE=OFF, LightMetalBeginCapture() logs a warning and
// LightMetalEndCapture() returns an empty binary.
namespace lightmetal {

struct CaptureOptions {
  // The file to write while the program runs; what a process that dies has captured by then
  // replays. LightMetalEndCapture() then returns an empty binary. Empty: the capture stays in
  // memory and LightMetalEndCapture() returns it. The bytes are the same.
  std::string path = {};

  // Make what every read returned a golden, that is, what its replay must read. A read that does
  // not block then waits for its data.
  bool read_goldens = false;
};

// False when the library was built without capture.
bool capture_is_compiled_in();

}  // namespace lightmetal

namespace tt::tt_metal {

// Throws std::runtime_error when a capture runs, which then goes on, and when the file cannot be
// created.
void LightMetalBeginCapture(const lightmetal::CaptureOptions& options);

}  // namespace tt::tt_metal
