#pragma once

#include <tt-metalium/experimental/metal2_host_api/program_run_args.hpp>
#include <tt-metalium/experimental/metal2_host_api/program_spec.hpp>

namespace tt::tt_metal::experimental::metal2 {

// The same specification with the fields of October 2026 alone: those of earlier months are moved
// to their successors. Throws std::runtime_error for what is of earlier months and not there.
ProgramSpec in_current_form(ProgramSpec spec);

}  // namespace tt::tt_metal::experimental::metal2
