// Tells each rank of an MPI job a text of rank 0, and ends. A rank of lightmetal_runner runs it in
// a process of its own, so that the runner neither links MPI nor has its threads and signal
// handlers.
//
// Rank 0 reads the text from standard input. Each rank writes its number, the number of ranks and
// the text to standard output: "RANK RANKS\nTEXT".
#include <mpi.h>

#include <cstdio>
#include <string>

namespace {

std::string standard_input() {
  std::string text;
  char part[4096];
  for (size_t size; (size = std::fread(part, 1, sizeof(part), stdin)) > 0;) text.append(part, size);
  return text;
}

// MPI ends the whole job when one of its calls fails.
std::string text_of_rank_0(int rank) {
  std::string text = rank == 0 ? standard_input() : "";
  int size = static_cast<int>(text.size());
  MPI_Bcast(&size, 1, MPI_INT, 0, MPI_COMM_WORLD);
  text.resize(static_cast<size_t>(size));
  MPI_Bcast(text.data(), size, MPI_CHAR, 0, MPI_COMM_WORLD);
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const std::string text = text_of_rank_0(rank);
  MPI_Finalize();
  std::printf("%d %d\n%s", rank, ranks, text.c_str());
  return std::fflush(stdout) == 0 ? 0 : 1;
}
