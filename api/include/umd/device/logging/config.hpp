#pragma once

// How much the driver logs. There is no driver here: nothing is logged, whatever is set.
namespace tt::umd::logging {

enum class level { trace, debug, info, warn, error, critical, off };

inline void set_level(level) {}

}  // namespace tt::umd::logging
