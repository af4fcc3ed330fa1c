// Slices: a box of a tensor, of all of its elements or of every so many in a dimension. A unit of
// work is a page of the result, a tile or a row.
#include "tests/operators/packaged_operator.h"
#include "tests/operators/specified_operator.h"
#include "tests/operators/specified_program.h"

namespace lightmetal::testing::slice {
namespace {

using namespace tt::tt_metal;
using namespace tt::tt_metal::experimental;

constexpr uint32_t kNodes = 3;
constexpr uint32_t kElement = 2, kAlignment = 32;  // bytes; of what is read from DRAM
constexpr char kFolder[] = "operations/data_movement/slice/device/kernels/dataflow/";

using Extents = std::vector<uint32_t>;  // outermost first, but where it is said

uint32_t in_units(uint32_t size, uint32_t unit) { return (size + unit - 1) / unit; }

// Every `step`th element from `begin` on, before `end`.
struct Slice {
  Layout layout;
  Extents shape, begin, end;
  Extents step = Extents(begin.size(), 1);

  uint32_t rank() const { return static_cast<uint32_t>(shape.size()); }
  Extents result() const {
    Extents extents;
    for (uint32_t i = 0; i < rank(); ++i) extents.push_back(in_units(end[i] - begin[i], step[i]));
    return extents;
  }
  TensorSpec spec(const Extents& extents) const {
    return spec_of(Shape(tt::stl::Span<const uint32_t>(extents)), DataType::BFLOAT16, layout);
  }
  // How far a page reaches in a dimension.
  uint32_t page_extent(uint32_t dimension) const {
    if (layout == Layout::TILE) return dimension + 2 < rank() ? 1 : 32;
    return dimension + 1 < rank() ? 1 : shape.back();
  }
  uint32_t row_bytes() const { return result().back() * kElement; }
  // Where a row of the result begins within a row of the source: at an aligned place and how far
  // behind that.
  uint32_t misalignment() const { return begin.back() * kElement % kAlignment; }
  uint32_t aligned_begin() const { return begin.back() * kElement - misalignment(); }
};

std::vector<double> sliced(const Slice& of, const std::vector<float>& values) {
  const Extents extents = of.result();
  std::vector<double> result(of.spec(extents).logical_shape().volume());
  for (uint32_t i = 0; i < result.size(); ++i) {
    uint32_t rest = i, from = 0, stride = 1;
    for (uint32_t d = of.rank(); d-- > 0; rest /= extents[d], stride *= of.shape[d]) {
      from += (of.begin[d] + rest % extents[d] * of.step[d]) * stride;
    }
    result[i] = values[from];
  }
  return result;
}

// The way through the pages of the source. Extents are innermost first.
struct Walk {
  explicit Walk(const Slice& of) {
    uint32_t stride = 1;
    for (uint32_t d = of.rank(); d-- > 0;) {
      const uint32_t source = in_units(of.shape[d], of.page_extent(d));
      counts.push_back(in_units(of.end[d] - of.begin[d], of.page_extent(d)));
      skipped.push_back((source - counts.back()) * stride);
      strides.push_back(stride);
      first += of.begin[d] / of.page_extent(d) * stride;
      stride *= source;
    }
  }
  // The place of a page of the result, and the page of the source that it is.
  Extents place_of(uint32_t page) const {
    Extents place;
    for (const uint32_t count : counts) {
      place.push_back(page % count);
      page /= count;
    }
    return place;
  }
  uint32_t source_of(uint32_t page) const {
    const Extents place = place_of(page);
    uint32_t source = first;
    for (size_t i = 0; i < place.size(); ++i) source += place[i] * strides[i];
    return source;
  }
  uint32_t pages() const {
    uint32_t pages = 1;
    for (const uint32_t count : counts) pages *= count;
    return pages;
  }

  Extents counts;   // pages of the result
  Extents skipped;  // pages of the source that are left out behind those
  Extents strides;
  uint32_t first = 0;
};

Extents joined(const std::vector<Extents>& blocks) {
  Extents all;
  for (const Extents& block : blocks) all.insert(all.end(), block.begin(), block.end());
  return all;
}

class SliceOperator : public PackagedOperator {
 protected:
  static OperatorKernel tile_reader(const Slice& of) {
    const Walk walk(of);
    return {
        .source = kernel(std::string(kFolder) + "reader_unary_unpad_dims_interleaved_start_id.cpp"),
        .produces = {"in"},
        .tensors = {"src"},
        .scratchpads = {"id_per_dim"},
        .constants = {{"num_dims", of.rank()}},
        .arguments =
            [=](const Share& share) {
              return Arguments{{"start_id", walk.source_of(share.first)},
                               {"num_tiles", share.count}};
            },
        .common_varargs = joined({walk.counts, walk.skipped}),
        .varargs = [=](const Share& share) { return walk.place_of(share.first); }};
  }
  static OperatorKernel tile_writer() {
    return {.source = kernel(std::string(kFolder) + "writer_unary_interleaved_start_id.cpp"),
            .consumes = {"in"},
            .tensors = {"dst"},
            .arguments =
                [](const Share& share) {
                  return Arguments{{"num_pages", share.count}, {"start_id", share.first}};
                },
            .renamed = {{"in", "out"}}};
  }

  // Where it begins comes with a tensor, and where it ends with another.
  static OperatorKernel tile_reader_of_places(const Slice& of) {
    OperatorKernel reads = tile_reader(of);
    const Walk walk(of);
    reads.source = kernel(std::string(kFolder) +
                          "reader_unary_unpad_dims_interleaved_start_id_tensor_args.cpp");
    reads.produces.emplace_back("tensor");
    reads.consumes.emplace_back("tensor");
    reads.tensors.insert(reads.tensors.end(), {"start", "end"});
    reads.common_varargs = joined({walk.counts, walk.skipped, of.shape});
    reads.arguments = [=](const Share& share) {
      return Arguments{{"start_id", walk.source_of(share.first) - walk.first},
                       {"num_tiles", share.count},
                       {"tile_width", 32},
                       {"tile_height", 32}};
    };
    return reads;
  }

  // How rows go through the buffer, which has twice what is put into it at once: two rows, or
  // chunks of a row. Those are two where that never crosses the end of the buffer.
  struct Rows {
    Rows(const Slice& of, uint32_t chunk_bytes)
        : entry(chunk_bytes != 0
                    ? chunk_bytes
                    : in_units(of.row_bytes() + of.misalignment(), kAlignment) * kAlignment),
          chunks(chunk_bytes == 0 ? 1 : in_units(of.row_bytes(), chunk_bytes)),
          last_chunk(of.row_bytes() - (chunks - 1) * entry) {}
    uint32_t at_once() const { return chunks == 1 || chunks % 2 == 0 ? 2 : 1; }
    uint32_t rounds(uint32_t rows) const { return chunks == 1 ? in_units(rows, 2) : rows; }

    Arguments arguments(const Share& share) const {
      return {{"stick_size_offset", entry},
              {"num_sticks_per_core", share.count},
              {"num_sticks_per_core_read", rounds(share.count)},
              {"num_read_per_barrier", at_once()},
              {"chunk_size", entry},
              {"num_chunks_per_stick", chunks},
              {"last_chunk_size", last_chunk}};
    }

    uint32_t entry;  // bytes
    uint32_t chunks, last_chunk;
  };

  static OperatorKernel row_reader(const Slice& of, const Rows& rows) {
    const Walk walk(of);
    return {.source = kernel(std::string(kFolder) +
                             "slice_reader_unary_unpad_dims_rm_interleaved_start_id.cpp"),
            .produces = {"in"},
            .tensors = {"src"},
            .scratchpads = {"id_per_dim"},
            .arguments =
                [=](const Share& share) {
                  Arguments arguments = rows.arguments(share);
                  arguments.insert({"unpadded_stick_size", of.row_bytes()});
                  arguments.insert({"num_dims", of.rank()});
                  arguments.insert({"misalignment", of.misalignment()});
                  arguments.insert({"src_offset_bytes", of.aligned_begin()});
                  arguments.insert({"start_id", walk.source_of(share.first)});
                  return arguments;
                },
            .varargs =
                [=](const Share& share) {
                  return joined({walk.counts, walk.skipped, walk.place_of(share.first)});
                }};
  }
  static OperatorKernel row_writer(const Slice& of, const Rows& rows) {
    return {.source = kernel(std::string(kFolder) +
                             "slice_writer_unary_stick_layout_interleaved_start_id.cpp"),
            .consumes = {"in"},
            .tensors = {"dst"},
            .arguments =
                [=](const Share& share) {
                  Arguments arguments = rows.arguments(share);
                  arguments.insert({"stick_size", of.row_bytes()});
                  arguments.insert({"start_id", share.first});
                  return arguments;
                },
            .renamed = {{"in", "out"}}};
  }

  // Takes every so many rows and, of each, every so many elements.
  static Arguments rows_of(const Slice& of, const Share& share) {
    return {{"tensor_rank", of.rank()},
            {"element_size", kElement},
            {"num_rows_for_this_core", share.count},
            {"start_row_for_this_core", share.first}};
  }
  // What kernels for four dimensions at most know of each of them by a name; there is one of those
  // that the tensor has not.
  static void add_by_name(Arguments& arguments, const std::string& name, const Extents& values,
                          uint32_t otherwise) {
    const std::string names = "whdn";
    for (size_t i = 0; i < names.size(); ++i) {
      arguments.insert(
          {name + names[i], i < values.size() ? values[values.size() - 1 - i] : otherwise});
    }
  }
  static OperatorKernel strided_reader(const Slice& of) {
    const bool named = of.rank() <= 4;
    OperatorKernel reads{
        .source = kernel(std::string(kFolder) + (named ? "reader_multicore_slice_4d.cpp"
                                                       : "reader_multicore_slice_nd.cpp")),
        .produces = {"in"},
        .tensors = {"src"},
        .constants = {{"compile_time_element_size", kElement}},
        .renamed = {{"in", "out"}}};
    reads.arguments = [=](const Share& share) {
      Arguments arguments = rows_of(of, share);
      if (!named) return arguments;
      add_by_name(arguments, "input_", of.shape, 1);
      add_by_name(arguments, "output_", of.result(), 1);
      add_by_name(arguments, "slice_start_", of.begin, 0);
      add_by_name(arguments, "slice_end_", of.end, 1);
      add_by_name(arguments, "slice_step_", of.step, 1);
      return arguments;
    };
    if (!named) {
      reads.varargs = [=](const Share&) {
        return joined({of.shape, of.result(), of.begin, of.end, of.step});
      };
    }
    return reads;
  }
  static OperatorKernel strided_writer(const Slice& of) {
    const bool named = of.rank() <= 4;
    OperatorKernel writes{
        .source = kernel(std::string(kFolder) + (named ? "writer_multicore_slice_4d.cpp"
                                                       : "writer_multicore_slice_nd.cpp")),
        .consumes = {"in"},
        .tensors = {"dst"},
        .constants = {{"compile_time_element_size", kElement}}};
    writes.arguments = [=](const Share& share) {
      Arguments arguments = rows_of(of, share);
      if (named) add_by_name(arguments, "output_", of.result(), 1);
      return arguments;
    };
    if (!named) writes.varargs = [=](const Share&) { return of.result(); };
    return writes;
  }

  // `specified` lacks its tensors.
  static void expect_slices(const Slice& of, const SpecifiedOperator& specified) {
    const TensorSpec source_spec = of.spec(of.shape);
    const auto values = random_values(source_spec.logical_shape().volume(), 11);
    const auto program = [&](distributed::MeshDevice& mesh) {
      const TensorSpec place = spec_of(Shape({of.rank()}), DataType::UINT32, Layout::ROW_MAJOR);
      const MeshTensor source = upload(mesh, values, source_spec);
      const MeshTensor begin = upload(mesh, of.begin, place), end = upload(mesh, of.end, place);
      const MeshTensor result = MeshTensor::allocate_on_device(mesh, of.spec(of.result()));
      SpecifiedOperator slice = specified;
      slice.tensors = {{"src", &source}, {"dst", &result}};
      if (slice.reader.tensors.size() > 1)
        slice.tensors.insert(slice.tensors.end(), {{"start", &begin}, {"end", &end}});
      launch(mesh, slice);
      return download(mesh, result);
    };
    expect_computes(program, sliced(of, values), kEqual);
  }

  static Group<ScratchpadSpec> place_on(const Slice& of) {
    return {{.unique_id = ScratchpadSpecName("id_per_dim"),
             .size_per_node = of.rank() * static_cast<uint32_t>(sizeof(uint32_t))}};
  }
  static void expect_slices_tiles(const Slice& of) {
    expect_slices(of, {.reader = tile_reader(of),
                       .writer = tile_writer(),
                       .buffers = {buffer_of("in", 2)},
                       .shares = shares_of(Walk(of).pages(), kNodes),
                       .scratchpads = place_on(of)});
  }
  static void expect_slices_rows(const Slice& of, uint32_t chunk_bytes = 0) {
    const Rows rows(of, chunk_bytes);
    expect_slices(of, {.reader = row_reader(of, rows),
                       .writer = row_writer(of, rows),
                       .buffers = {entries_in(DFBSpecName("in"), 2 * rows.at_once(), rows.entry)},
                       .shares = shares_of(Walk(of).pages(), kNodes),
                       .scratchpads = place_on(of)});
  }
  static void expect_slices_with_steps(const Slice& of) {
    const Shape result = of.spec(of.result()).logical_shape();
    const uint32_t entry = in_units(of.shape.back() * kElement, kAlignment) * kAlignment;
    const auto rows = static_cast<uint32_t>(result.volume() / result[-1]);
    expect_slices(of, {.reader = strided_reader(of),
                       .writer = strided_writer(of),
                       .buffers = {entries_in(DFBSpecName("in"), 2, entry)},
                       .shares = shares_of(rows, kNodes)});
  }
};

TEST_F(SliceOperator, CutsTilesOutInEachDimension) {
  expect_slices_tiles({Layout::TILE, {3, 4, 160, 192}, {1, 1, 32, 64}, {3, 3, 128, 160}});
}

TEST_F(SliceOperator, CutsTilesOutThatAreNotFull) {
  expect_slices_tiles({Layout::TILE, {2, 100, 150}, {0, 64, 32}, {2, 99, 140}});
}

TEST_F(SliceOperator, CutsTilesOutWhereTensorsSay) {
  const Slice of{Layout::TILE, {3, 2, 96, 128}, {1, 0, 32, 32}, {3, 2, 96, 128}};
  expect_slices(of, {.reader = tile_reader_of_places(of),
                     .writer = tile_writer(),
                     .buffers = {buffer_of("in", 2), buffer_of("tensor", 1)},
                     .shares = shares_of(Walk(of).pages(), kNodes),
                     .scratchpads = place_on(of)});
}

TEST_F(SliceOperator, CutsRowsOutInEachDimension) {
  expect_slices_rows({Layout::ROW_MAJOR, {3, 5, 7, 128}, {1, 0, 2, 32}, {3, 4, 7, 96}});
}

TEST_F(SliceOperator, CutsRowsOutThatBeginAtNoAlignedPlace) {
  expect_slices_rows({Layout::ROW_MAJOR, {4, 9, 100}, {1, 3, 13}, {4, 8, 91}});
}

TEST_F(SliceOperator, CutsRowsOutInChunks) {
  expect_slices_rows({Layout::ROW_MAJOR, {2, 6, 700}, {0, 1, 32}, {2, 5, 650}}, 256);
}

TEST_F(SliceOperator, CutsRowsOutInPairsOfChunks) {
  expect_slices_rows({Layout::ROW_MAJOR, {6, 700}, {1, 64}, {6, 564}}, 256);
}

TEST_F(SliceOperator, TakesEveryFewElementsOfAMatrix) {
  expect_slices_with_steps({Layout::ROW_MAJOR, {40, 100}, {3, 5}, {39, 95}, {4, 3}});
}

TEST_F(SliceOperator, TakesEveryFewElementsInThreeDimensions) {
  expect_slices_with_steps({Layout::ROW_MAJOR, {5, 9, 64}, {1, 0, 0}, {5, 9, 64}, {2, 4, 1}});
}

TEST_F(SliceOperator, TakesEveryFewElementsInFourDimensions) {
  expect_slices_with_steps(
      {Layout::ROW_MAJOR, {5, 4, 6, 50}, {0, 1, 1, 7}, {5, 4, 6, 47}, {2, 1, 3, 2}});
}

TEST_F(SliceOperator, TakesEveryFewElementsInFiveDimensions) {
  expect_slices_with_steps(
      {Layout::ROW_MAJOR, {2, 3, 4, 5, 48}, {0, 1, 0, 2, 1}, {2, 3, 4, 5, 48}, {1, 1, 3, 2, 5}});
}

}  // namespace
}  // namespace lightmetal::testing::slice
