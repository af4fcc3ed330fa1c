#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "runner/children.h"
#include "runner/mpi_job.h"
#include "runner/rank_link.h"
#include "runner/suite_result.h"

// A suite that the ranks of an MPI job replay together. Rank 0 hands out the files, each to a rank
// that is free. MPI starts the ranks and tells them where rank 0 is; then they talk over sockets of
// their own (rank_link.h), since MPI ends a job with the first rank that dies.
namespace lightmetal::runner {

// What rank 0 does: executes the files in all ranks, its own machine's included, and returns what
// came of each, in the order of `files`. Where a rank dies, its file has crashed; the others go on.
// Signals and `execute` are as for execute_in_children().
absl::StatusOr<std::vector<FileResult>> execute_in_ranks(const MpiJob& job,
                                                         absl::Span<const std::string> files,
                                                         ExecuteChild execute);

// What another rank does first: finds rank 0. The process that the launcher has started is told to
// end, since the launcher would end the job if it died; null for it. The link is for its child,
// which goes on in a session of its own, without standard streams, until rank 0 has gone.
absl::StatusOr<std::unique_ptr<RankLink>> join_rank_0(const MpiJob& job);

// What the child does then: executes what it is given. Returns its exit code.
int execute_for_rank_0(RankLink& rank_0, ExecuteChild execute);

}  // namespace lightmetal::runner
