#pragma once

// The standard headers that TT-Metalium's public headers bring along, most of them through their
// log. Programs written against those headers use them without an include of their own, so ours
// bring them, too: <tt-metalium/logger.hpp> includes this header, and nearly every header includes
// the log.
#include <algorithm>           // IWYU pragma: export
#include <any>                 // IWYU pragma: export
#include <array>               // IWYU pragma: export
#include <atomic>              // IWYU pragma: export
#include <bit>                 // IWYU pragma: export
#include <cassert>             // IWYU pragma: export
#include <cctype>              // IWYU pragma: export
#include <climits>             // IWYU pragma: export
#include <cmath>               // IWYU pragma: export
#include <condition_variable>  // IWYU pragma: export
#include <cstddef>             // IWYU pragma: export
#include <cstdint>             // IWYU pragma: export
#include <cstdio>              // IWYU pragma: export
#include <cstdlib>             // IWYU pragma: export
#include <cstring>             // IWYU pragma: export
#include <deque>               // IWYU pragma: export
#include <exception>           // IWYU pragma: export
#include <filesystem>          // IWYU pragma: export
#include <fstream>             // IWYU pragma: export
#include <functional>          // IWYU pragma: export
#include <iostream>            // IWYU pragma: export
#include <limits>              // IWYU pragma: export
#include <list>                // IWYU pragma: export
#include <map>                 // IWYU pragma: export
#include <memory>              // IWYU pragma: export
#include <mutex>               // IWYU pragma: export
#include <new>                 // IWYU pragma: export
#include <optional>            // IWYU pragma: export
#include <ostream>             // IWYU pragma: export
#include <random>              // IWYU pragma: export
#include <set>                 // IWYU pragma: export
#include <source_location>     // IWYU pragma: export
#include <sstream>             // IWYU pragma: export
#include <stdexcept>           // IWYU pragma: export
#include <string>              // IWYU pragma: export
#include <string_view>         // IWYU pragma: export
#include <thread>              // IWYU pragma: export
#include <tuple>               // IWYU pragma: export
#include <type_traits>         // IWYU pragma: export
#include <unordered_map>       // IWYU pragma: export
#include <unordered_set>       // IWYU pragma: export
#include <utility>             // IWYU pragma: export
#include <variant>             // IWYU pragma: export
#include <vector>              // IWYU pragma: export

// C's names as C has them: programs write uint32_t, printf and fabs.
#include <math.h>    // IWYU pragma: export
#include <stdint.h>  // IWYU pragma: export
#include <stdio.h>   // IWYU pragma: export
#include <stdlib.h>  // IWYU pragma: export
#include <string.h>  // IWYU pragma: export
