#pragma once

namespace lightmetal {

// What a capture does with large data that the program writes to a device: data of
// CaptureOptions::min_reference_size and more. Data that are read back, kernels and small data are
// always embedded.
enum class PayloadPolicy {
  // All data are in the captured file.
  Embed,
  // Data that lie in a file of their own are recorded as path, offset, size and digest ("weights by
  // reference"): data that the program has declared with declare_file_data, and data in a mapping
  // of a file, private or read-only, other than of a program or library. The capture reads the file
  // to compare: data that differ, or lie in no file, are embedded.
  Reference,
  // The same, except that what would be embedded ends the capture with an error: for captures that
  // must not grow by their weights, or carry them.
  Fail
};

}  // namespace lightmetal
