#pragma once

// Upstream's tests include this header of upstream's recorder for what it brings along. No header
// of the host API says how calls are recorded here (capture/capture.h does).
#include <tt-metalium/host_api.hpp>                  // IWYU pragma: export
#include <tt-metalium/lightmetal_capture_utils.hpp>  // IWYU pragma: export
