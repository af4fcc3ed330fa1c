#pragma once

#include <string>

#include "base/timeline.h"

namespace lightmetal::schema {

// The timeline as a text in the JSON of the Trace Event Format
// (https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU), which
// ui.perfetto.dev and chrome://tracing show. A device is a process of it, with a track for each
// thread that gave it work and one for each core; scopes are a process of their own. Times are
// microseconds from the first span on. What did not fit into the timeline is counted in
// "otherData": {"dropped_spans": N}.
std::string timeline_trace(const timeline::Spans& timeline);

}  // namespace lightmetal::schema
