#pragma once

#include <tt-metalium/bfloat16.hpp>                 // IWYU pragma: export
#include <tt-metalium/buffer.hpp>                   // IWYU pragma: export
#include <tt-metalium/core_coord.hpp>               // IWYU pragma: export
#include <tt-metalium/device.hpp>                   // IWYU pragma: export
#include <tt-metalium/mesh_buffer.hpp>              // IWYU pragma: export
#include <tt-metalium/shape.hpp>                    // IWYU pragma: export
#include <tt-metalium/span.hpp>                     // IWYU pragma: export
#include <tt-metalium/tensor/types/data_types.hpp>  // IWYU pragma: export
#include <tt-metalium/tt_backend_api_types.hpp>     // IWYU pragma: export
