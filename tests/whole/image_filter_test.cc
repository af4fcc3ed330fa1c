// examples/image_filter: its pictures, its filters, and the whole of it as a person runs it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <stdexcept>
#include <string>
#include <tt-metalium/device.hpp>
#include <tt-metalium/host_api.hpp>
#include <vector>

#include "examples/common/command_line.h"
#include "examples/image_filter/filter.h"
#include "examples/image_filter/filter_program.h"
#include "examples/image_filter/picture.h"
#include "tests/support/process.h"

namespace example::image {
namespace {

using lightmetal::testing::ProcessResult;
using lightmetal::testing::run_process;
using lightmetal::testing::TemporaryFolder;
using ::testing::AllOf;
using ::testing::HasSubstr;

Picture random_picture(uint32_t width, uint32_t height, uint32_t channels, uint32_t seed) {
  Picture picture{.width = width, .height = height, .channels = channels};
  std::mt19937 random(seed);
  for (size_t i = 0; i < size_t{width} * height * channels; ++i)
    picture.samples.push_back(static_cast<uint8_t>(random() % 256));
  return picture;
}

// ---- Pictures ----

TEST(Picture, IsReadInAllFourFormats) {
  const Picture grey = {
      .width = 3, .height = 2, .plain = true, .samples = {0, 1, 2, 253, 254, 255}};
  EXPECT_EQ(parse_picture("x", "P2\n3 2\n255\n0 1 2\n253 254 255\n"), grey);
  Picture bytes = grey;
  bytes.plain = false;
  EXPECT_EQ(parse_picture("x", std::string("P5 3 2 255\n\x00\x01\x02\xfd\xfe\xff", 17)), bytes);
  const Picture colour = {
      .width = 1, .height = 2, .channels = 3, .plain = true, .samples = {1, 2, 3, 4, 5, 6}};
  EXPECT_EQ(parse_picture("x", "P3 1 2 255 1 2 3 4 5 6"), colour);
  bytes = colour;
  bytes.plain = false;
  EXPECT_EQ(parse_picture("x", "P6\n1 2\n255\n\x01\x02\x03\x04\x05\x06"), bytes);
}

TEST(Picture, CommentsAreSkipped) {
  const Picture picture = parse_picture(
      "x", "P2 # a picture\n# of 9 9\n2#wide\n 1\n#maximum\n7\n# samples\n3 # three\n7");
  EXPECT_EQ(picture,
            (Picture{.width = 2, .height = 1, .maximum = 7, .plain = true, .samples = {3, 7}}));
}

// The byte after the largest sample's white space is a sample, even one that looks like space.
TEST(Picture, BytesBeginAfterOneWhiteSpace) {
  EXPECT_EQ(parse_picture("x", "P5 2 1 255\n\n#").samples, (std::vector<uint8_t>{'\n', '#'}));
}

TEST(Picture, WhatIsWrittenIsReadBack) {
  const TemporaryFolder folder;
  for (const uint32_t channels : {1u, 3u}) {
    for (const bool plain : {false, true}) {
      Picture picture = random_picture(37, 5, channels, 1);
      picture.plain = plain;
      write_picture(folder.path("p"), picture);
      EXPECT_EQ(read_picture(folder.path("p")), picture);
    }
  }
}

TEST(Picture, PlainFilesHaveNoLineOver70Characters) {
  Picture picture = random_picture(200, 2, 1, 1);
  picture.plain = true;
  std::istringstream lines(to_text(picture));
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 70u);
}

struct Malformed {
  const char* content;
  std::vector<const char*> message;
};

TEST(Picture, MalformedFilesAreRefusedWithPlaceExpectedAndFound) {
  const Malformed cases[] = {
      {"", {"byte 0", "P2, P3, P5 or P6"}},
      {"P", {"byte 0", "\"P\""}},
      {"P4 1 1\n", {"byte 0", "\"P4\""}},
      {"\x89PNG", {"byte 0", "\\x89P"}},
      {"P52 1 255 ", {"byte 2", "the width"}},
      {"P5", {"byte 2", "the width", "end of the file"}},
      {"P5 x 1 255 ", {"byte 3", "the width", "\"x\""}},
      {"P5 -1 1 255 ", {"byte 3", "the width", "\"-1\""}},
      {"P5 0 1 255 ", {"the width", "\"0\""}},
      {"P5 1 0 255 ", {"byte 5", "the height", "\"0\""}},
      {"P5 99999999999999999999 1 255 ", {"the width", "1 to 65536"}},
      {"P5 1 1 0 ", {"the largest sample", "\"0\""}},
      {"P5 1 1 65535\n12", {"byte 7", "the largest sample", "1 to 255", "\"65535\""}},
      {"P5 1 1 255", {"byte 10", "white space after the header"}},
      {"P5 1 1 255x", {"byte 10", "white space after the header", "\"x\""}},
      {"P5 2 2 255\nabc", {"byte 11", "expected 4 bytes", "found 3"}},
      {"P6 1 1 255\nab", {"expected 3 bytes", "found 2"}},
      {"P5 1 1 7\nA", {"byte 9", "up to 7", "found 65"}},
      {"P2 2 1 255\n1", {"sample 2 of 2", "end of the file"}},
      {"P2 2 1 255\n1 x", {"byte 13", "sample 2 of 2", "\"x\""}},
      {"P2 2 1 100\n1 101", {"byte 13", "0 to 100", "\"101\""}},
      {"P5 # no end of the comment", {"the width", "end of the file"}},
  };
  for (const auto& [content, message] : cases) {
    try {
      parse_picture("file.pgm", content);
      ADD_FAILURE() << "accepted: " << content;
    } catch (const std::runtime_error& error) {
      EXPECT_THAT(error.what(), HasSubstr("file.pgm"));
      for (const char* part : message) EXPECT_THAT(error.what(), HasSubstr(part)) << content;
    }
  }
}

TEST(Picture, AHugeHeaderTakesNoMemory) {
  EXPECT_THROW(parse_picture("x", "P6 65536 65536 255\nabc"), std::runtime_error);
  EXPECT_THROW(parse_picture("x", "P3 65536 65536 255\n1 2 3"), std::runtime_error);
}

TEST(Picture, AFileThatCannotBeReadOrWrittenIsNamed) {
  EXPECT_THROW(read_picture("/nonexistent/a.pgm"), std::runtime_error);
  EXPECT_THROW(read_picture("/"), std::runtime_error);
  EXPECT_THROW(write_picture("/nonexistent/a.pgm", random_picture(1, 1, 1, 1)), std::runtime_error);
}

// ---- Filters ----

TEST(Filter, NamesAndWeightsAreUnderstood) {
  EXPECT_EQ(parse_filter("blur3").kernels[0].weights[4], 0.25f);
  EXPECT_EQ(parse_filter("blur5").size(), 5u);
  EXPECT_TRUE(parse_filter("edge").is_gradient());
  EXPECT_EQ(parse_filter("1, 2 3;4 5 6 ; 7 8 -9").kernels[0].weights,
            (std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8, -9}));
}

TEST(Filter, BlursKeepBrightness) {
  for (const char* name : {"blur3", "blur5"}) {
    float sum = 0;
    const Filter filter = parse_filter(name);
    for (const float weight : filter.kernels[0].weights) sum += weight;
    EXPECT_EQ(sum, 1.0f) << name;
  }
}

TEST(Filter, OthersAreRefused) {
  for (const char* text :
       {"", "emboss", "1 2;3 4", "1 2 3;4 5;6 7 8", "1 x 1;1 1 1;1 1 1", "nan", "1;2;3", "inf"}) {
    EXPECT_THROW(parse_filter(text), UsageError) << text;
  }
  std::string large;
  for (int i = 0; i < 35; ++i) large += "1;";
  EXPECT_THROW(parse_filter(large), UsageError);
}

// ---- On the device ----

class FilterOnDevice : public ::testing::Test {
 protected:
  void SetUp() override { mesh_ = tt::tt_metal::distributed::MeshDevice::create_unit_mesh(0); }
  void TearDown() override { mesh_->close(); }

  // Weights that are sums of few powers of two give exact sums, which are rounded alike.
  void check(const Picture& picture, const std::string& filter, int tolerance = 0) {
    SCOPED_TRACE(testing::Message() << picture.width << "x" << picture.height << "x"
                                    << picture.channels << " " << filter);
    const Picture expected = filter_on_host(picture, parse_filter(filter));
    const Picture found = filter_on_device(*mesh_, picture, parse_filter(filter));
    ASSERT_EQ(found.samples.size(), expected.samples.size());
    for (size_t i = 0; i < found.samples.size(); ++i)
      ASSERT_LE(std::abs(found.samples[i] - expected.samples[i]), tolerance) << "sample " << i;
  }

  std::shared_ptr<tt::tt_metal::distributed::MeshDevice> mesh_;
};

TEST_F(FilterOnDevice, AllFiltersMatchTheReference) {
  const Picture picture = random_picture(70, 45, 1, 1);
  for (const char* filter : {"blur3", "blur5", "sharpen", "edge"}) check(picture, filter);
  check(picture, "1");
  check(picture,
        "0 0 0; 0 0 0; 0 0 1");  // each sample moves up and left: no kernel is turned round
  check(picture, "0.3");
  check(picture, "-1");
  check(picture, "0.1 0.2 0.3; 0.4 -0.9 0.1; 0.2 0.3 0.1", 1);
}

TEST_F(FilterOnDevice, OddSizesMatchTheReference) {
  const std::pair<uint32_t, uint32_t> sizes[] = {{1, 1},   {7, 3},   {1, 40},  {40, 1}, {31, 33},
                                                 {32, 32}, {33, 64}, {300, 2}, {2, 257}};
  for (const auto& [width, height] : sizes) {
    check(random_picture(width, height, 1, width), "blur5");
    check(random_picture(width, height, 3, height), "edge");
  }
}

// 1000 columns are four blocks; 700 rows are 22 rows of blocks, more than there are cores in all.
TEST_F(FilterOnDevice, ALargePictureMatchesTheReference) {
  check(random_picture(1000, 700, 1, 1), "sharpen");
}

TEST_F(FilterOnDevice, TheLargestKernelMatchesTheReference) {
  std::string weights;
  for (uint32_t row = 0; row < kLargestKernel; ++row) {
    for (uint32_t column = 0; column < kLargestKernel; ++column)
      weights += (row + column) % 7 == 0 ? "0.0078125 " : "0 ";
    weights += ";";
  }
  check(random_picture(50, 40, 1, 1), weights);
}

TEST_F(FilterOnDevice, ResultsAreClampedToTheLargestSample) {
  Picture picture = random_picture(20, 20, 1, 1);
  picture.maximum = 100;
  for (uint8_t& sample : picture.samples) sample %= 101;
  check(picture, "sharpen");
  const Picture bright = filter_on_device(*mesh_, picture, parse_filter("9"));
  for (size_t i = 0; i < picture.samples.size(); ++i)
    ASSERT_EQ(bright.samples[i], std::min(9 * picture.samples[i], 100));
}

// ---- As a person runs it ----

class ImageFilterProgram : public ::testing::Test {
 protected:
  ProcessResult run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), std::string(LIGHTMETAL_BIN_FOLDER) + "/image_filter");
    return run_process(arguments);
  }
  TemporaryFolder folder_;
};

TEST_F(ImageFilterProgram, WritesThePictureInTheSameFormat) {
  Picture picture = random_picture(40, 30, 3, 1);
  for (const bool plain : {false, true}) {
    picture.plain = plain;
    write_picture(folder_.path("in.ppm"), picture);
    const ProcessResult result =
        run({folder_.path("in.ppm"), folder_.path("out.ppm"), "--filter", "sharpen", "--check"});
    EXPECT_EQ(result.exit_code, 0) << result.output << result.errors;
    EXPECT_THAT(result.output, HasSubstr("40x30, colour, sharpen"));
    EXPECT_EQ(read_picture(folder_.path("out.ppm")),
              filter_on_host(picture, parse_filter("sharpen")));
  }
}

TEST_F(ImageFilterProgram, ItsFileReplaysWithoutThePicture) {
  write_picture(folder_.path("in.pgm"), random_picture(33, 7, 1, 1));
  const ProcessResult captured = run({folder_.path("in.pgm"), "--filter", "1 0 1;0 2 0;1 0 1",
                                      "--capture", folder_.path("filter.lmb")});
  ASSERT_EQ(captured.exit_code, 0) << captured.errors;
  std::remove(folder_.path("in.pgm").c_str());
  const ProcessResult replayed = run_process(
      {std::string(LIGHTMETAL_BIN_FOLDER) + "/lightmetal_runner", folder_.path("filter.lmb")},
      {.environment = {{"PATH", ""}}, .empty_environment = true});
  EXPECT_EQ(replayed.exit_code, 0) << replayed.errors;
}

TEST_F(ImageFilterProgram, ABadFilterExitsWithTwoAndABadPictureWithOne) {
  EXPECT_EQ(run({"in.pgm", "out.pgm", "more.pgm"}).exit_code, 2);
  const ProcessResult filter = run({"--filter", "blue"});
  EXPECT_EQ(filter.exit_code, 2);
  EXPECT_THAT(filter.errors, HasSubstr("\"blue\""));
  lightmetal::testing::write_file(folder_.path("bad.pgm"), "P5 2 2 255\na");
  const ProcessResult picture = run({folder_.path("bad.pgm")});
  EXPECT_EQ(picture.exit_code, 1);
  EXPECT_THAT(picture.errors, AllOf(HasSubstr("bad.pgm"), HasSubstr("found 1")));
}

}  // namespace
}  // namespace example::image
