#pragma once

namespace lightmetal {

// What a capture does with large data that the program writes to a device (CaptureOptions::
// min_reference_size and more). What is read back, kernels and small data are always embedded.
enum class PayloadPolicy {
  // All data are in the captured file.
  Embed,
  // Data that lie in a file of their own are recorded as path, offset, size and digest ("weights by
  // reference"): those that the program has declared with declare_file_data, and those in a mapping
  // of a file, private or read-only, other than of a program or library. The file is read to
  // compare: what differs, or lies in no file, is embedded.
  Reference,
  // The same, except that what would be embedded ends the capture with an error: for captures that
  // must not grow by their weights, or carry them.
  Fail
};

}  // namespace lightmetal
