#pragma once

#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "schema/storage/sink.h"

// The page as one HTML text. It opens nothing over the network, and its Content-Security-Policy
// forbids it to: of scripts and styles, only those with the digests of its own are obeyed.
namespace lightmetal::runner::page {

// Writes the page while its data are made. Whatever a file says stands in JSON blocks alone, where
// no character has a meaning to HTML. Not thread-safe.
class Document {
 public:
  // The sink outlives the document.
  explicit Document(schema::Sink& sink) : sink_(sink) {}

  // Writes the beginning: the style, and what the page is made of.
  absl::Status begin();
  // Writes a JSON text, which the script finds by its name.
  absl::Status add(absl::string_view name, absl::string_view json);
  // Writes the script, and the end.
  absl::Status end();

 private:
  absl::Status append(absl::string_view text);

  schema::Sink& sink_;
};

}  // namespace lightmetal::runner::page
