#pragma once

#include <optional>
#include <tt-metalium/tensor/spec/layout/alignment.hpp>
#include <tt-metalium/tensor/spec/layout/layout.hpp>
#include <tt-metalium/tensor/types/data_types.hpp>
#include <tt-metalium/tile.hpp>
#include <variant>

namespace tt::tt_metal {

struct RowMajorPageConfig {
  friend bool operator==(const RowMajorPageConfig&, const RowMajorPageConfig&) = default;
};

struct TilePageConfig {
  Tile tile;

  friend bool operator==(const TilePageConfig&, const TilePageConfig&) = default;
};

// What a page of a tensor's buffer is: a row, or the part of it that lies in one shard; or a tile.
// A value.
class PageConfig {
 public:
  using Config = std::variant<RowMajorPageConfig, TilePageConfig>;

  PageConfig(Config config) : config_(config) {}
  // With a tile of 32x32 unless `tile` is given, which a row-major page has no use for. Throws
  // std::runtime_error for Layout::INVALID.
  PageConfig(Layout layout) : PageConfig(layout, std::nullopt) {}
  PageConfig(Layout layout, const std::optional<Tile>& tile);

  // What the last dimensions of a shard should be multiples of: a tile or, of rows, as many
  // elements as fill 64 B, to which every memory of every device is aligned.
  Alignment get_recommended_shard_shape_alignment(DataType dtype) const;

  Layout get_layout() const;
  Tile get_tile() const;  // of rows one of 32x32
  const Config& get_config() const { return config_; }

  friend bool operator==(const PageConfig&, const PageConfig&) = default;

 private:
  Config config_;
};

}  // namespace tt::tt_metal
