#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/digest.h"
#include "schema/storage/output_file.h"

// What all reports of the runner are made with.
namespace lightmetal::runner {

// Returns the text as a table or a report has it in one line: what is not shown, ends of lines and
// tabs become escapes.
std::string in_one_line(absl::string_view text);

// Returns the text as XML has it, in one line, also between double quotes. What XML 1.0 cannot hold
// becomes an escape.
std::string xml_text(absl::string_view text);

// What a summary or a report says where no golden was compared.
inline constexpr char kNothingCompared[] = "compared 0 values";

// "1 command", "2 commands".
std::string counted(uint64_t count, absl::string_view what);

// "12.3 s", "45 ms", "0.67 ms".
std::string duration_text(double milliseconds);

// How often something has run, and how long that took, from the least to the most: "ran in 3.00
// ms", "ran 3 times in 1.00 ms to 2.00 ms, median 1.50 ms". REQUIRES: there is a time.
std::string times_text(std::vector<double> milliseconds);

// The time since it was made.
class Stopwatch {
 public:
  double milliseconds() const {
    return std::chrono::duration<double, std::milli>(Clock::now() - start_).count();
  }

 private:
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start_ = Clock::now();
};

// Writes the parts, one behind the other, as the whole content of the file, which is not finished.
absl::Status write(const schema::OutputFile& file, absl::Span<const Bytes> parts);

// Begins the file `name` in a folder (OutputFile::create). InvalidArgument when a link has this
// name: it would lead out of the folder, which somebody else may have filled.
absl::StatusOr<schema::OutputFile> create_in(const std::string& folder, const std::string& name,
                                             absl::Span<const std::string> inputs);

}  // namespace lightmetal::runner
