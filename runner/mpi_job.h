#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "absl/status/statusor.h"

// The MPI job that this process is a rank of, where a launcher such as mpirun has started it.
namespace lightmetal::runner {

struct MpiJob {
  size_t rank = 0;
  size_t ranks = 0;  // at least 2
  bool on_one_machine = false;
};

// What the launcher has left in the environment; none where it has started one process, or where
// there is no launcher.
std::optional<MpiJob> mpi_job();

// True when this runner was built where MPI is.
bool is_built_with_mpi();

// Returns the text of rank 0 in each rank: MPI starts, carries it, and ends again, all in a process
// of its own. All ranks of the job have to call it, and none twice. The text of the others is not
// looked at.
absl::StatusOr<std::string> text_of_rank_0(const MpiJob& job, const std::string& text);

}  // namespace lightmetal::runner
