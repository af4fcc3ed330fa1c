#pragma once

#include <cstdint>
#include <tt-metalium/assert.hpp>

namespace tt::tt_metal {

// Whether functions of the classic API may change a program and its kernels. Only its own functions
// change a program that was made from a specification. Kernels share it with their program, which
// they may outlive. Not thread-safe, as programs are not.
class ClassicChanges {
 public:
  explicit ClassicChanges(uint64_t program_id) : program_id_(program_id) {}

  // Throws when `call`, a function of the classic API, may not change the program, or give out
  // references through which that changes.
  void check(const char* call) const {
    TT_FATAL(allowed_,
             "{} cannot change program {}, which was made from a ProgramSpec: SetProgramRunArgs "
             "and UpdateProgramRunArgs give it other arguments, and nothing can be added",
             call, program_id_);
  }
  void forbid() { allowed_ = false; }

  // While one lives, they may: the program's own functions call them. REQUIRES: forbid() was
  // called.
  class Allowed {
   public:
    explicit Allowed(ClassicChanges& changes) : changes_(changes) { changes_.allowed_ = true; }
    ~Allowed() { changes_.allowed_ = false; }
    Allowed(const Allowed&) = delete;
    Allowed& operator=(const Allowed&) = delete;

   private:
    ClassicChanges& changes_;
  };

 private:
  const uint64_t program_id_;
  bool allowed_ = true;
};

}  // namespace tt::tt_metal
