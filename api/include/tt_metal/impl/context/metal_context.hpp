#pragma once

#include <tt-metalium/hal.hpp>         // IWYU pragma: export
#include <tt-metalium/rtoptions.hpp>   // IWYU pragma: export
#include <tt-metalium/tt_cluster.hpp>  // IWYU pragma: export

namespace tt::tt_metal {

// Where programs of the middle of 2025 find the objects that before stood by themselves.
class MetalContext {
 public:
  static const MetalContext& instance() {
    static const MetalContext context;
    return context;
  }

  llrt::RunTimeOptions& rtoptions() const { return llrt::RunTimeOptions::get_instance(); }
  const Cluster& get_cluster() const { return Cluster::instance(); }
  const struct hal& hal() const { return tt_metal::hal; }
};

}  // namespace tt::tt_metal
