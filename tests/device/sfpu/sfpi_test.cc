#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/device/tiles/tile_program.h"

// SFPI: kernels that compute on DST with vectors of their own.
namespace lightmetal::device::testing {
namespace {

using ::testing::HasSubstr;

struct FloatSnippet {
  std::string text;  // vFloat x and y, the elements of two tiles, and vFloat r, the result
  std::function<double(double, double)> reference;
};

uint32_t bits_of(double x) { return std::bit_cast<uint32_t>(static_cast<float>(x)); }
double float_of(uint32_t bits) { return std::bit_cast<float>(bits); }

std::vector<FloatSnippet> float_snippets() {
  return {
      {"r = x + y * 2.0f - 1.0f;", [](double x, double y) { return x + y * 2 - 1; }},
      {"r = 3.0f - x; r *= y; r += x; r -= 0.5f;",
       [](double x, double y) { return (3 - x) * y + x - 0.5; }},
      {"r = -x * vConst0p8373 + vConst1;",
       [](double x, double) { return -x * double{0.837300003f} + 1; }},
      {"r = x; v_if (x < 0.0f) { r = 0.0f; } v_endif;",
       [](double x, double) { return x < 0 ? 0 : x; }},
      {"r = x; v_if (x < -1.0f) { r = -1.0f; } v_elseif (x > 1.0f) { r = 1.0f; }"
       "v_else { r = y; } v_endif;",
       [](double x, double y) { return x < -1  ? -1
                                       : x > 1 ? 1
                                               : y; }},
      {"r = 0.0f; v_if (x > 0.0f) { r = 1.0f; v_if (y > 0.0f) { r = 2.0f; } v_else { r = 3.0f; }"
       "v_endif; } v_else { v_if (y > 0.0f) { r = 4.0f; } v_endif; } v_endif;",
       [](double x, double y) { return x > 0   ? (y > 0 ? 2 : 3)
                                       : y > 0 ? 4
                                               : 0; }},
      {"r = 0.0f; v_if (x >= 0.0f && y <= 0.0f) { r = 1.0f; } v_endif;"
       "v_if (x < 0.0f || !(y == y)) { r = 2.0f; } v_endif;",
       [](double x, double y) { return x < 0    ? 2
                                       : y <= 0 ? 1
                                                : 0; }},
      {"r = x; v_block { v_and(x > 0.0f); r = y; v_and(y > 0.0f); r = 7.0f; } v_endblock;",
       [](double x, double y) { return x > 0 ? (y > 0 ? 7 : y) : x; }},
      {"r = x; v_if (x != x) { r = 1.0f; } v_endif;", [](double x, double) { return x; }},
      {"r = sfpi::abs(x);", [](double x, double) { return std::abs(x); }},
      {"r = setsgn(x, y);", [](double x, double y) { return std::copysign(x, y); }},
      {"r = setsgn(x, 1);", [](double x, double) { return -std::abs(x); }},
      {"r = int32_to_float(exexp(x), 0);", [](double x, double) { return std::ilogb(x); }},
      {"r = int32_to_float(exexp_nodebias(x), 0);",
       [](double x, double) { return std::ilogb(x) + 127; }},
      {"r = setexp(x, 127);",
       [](double x, double) { return std::copysign(std::ldexp(std::abs(x), -std::ilogb(x)), x); }},
      {"r = setexp(x, exexp(x) + 130);", [](double x, double) { return x * 8; }},
      {"r = setman(x, 0);",
       [](double x, double) { return std::copysign(std::ldexp(1, std::ilogb(x)), x); }},
      {"r = setman(y, exman9(x));",
       [](double x, double y) {
         return float_of((bits_of(y) & 0xff800000) | (bits_of(x) & 0x7fffff));
       }},
      {"r = int32_to_float(exman8(x) >> 8, 0);",
       [](double x, double) { return ((bits_of(x) & 0x7fffff) | 0x800000) >> 8; }},
      {"r = addexp(x, 3);", [](double x, double) { return x * 8; }},
      {"r = reinterpret<vFloat>(float_to_fp16b(x, 0));",
       [](double x, double) {
         const uint32_t bits = bits_of(x);
         return float_of((bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000);
       }},
      {"r = s2vFloat16b(1.2f) + s2vFloat16b(0x4040) + s2vFloat16a(0x3e00);",
       [](double, double) { return float_of(bits_of(1.2f) & 0xffff0000) + 3 + 1.5; }},
      {"vConstFloatPrgm0 = 2.5f; r = x * vConstFloatPrgm0;",
       [](double x, double) { return x * 2.5; }},
      {"vec_min_max(x, y); r = y - x;", [](double x, double y) { return std::abs(y - x); }},
      {"vec_swap(x, y); r = x - y;", [](double x, double y) { return y - x; }},
      {"vFloat least = x; vFloat most = 1.0f; v_if (y > 0.0f) { vec_min_max(least, most); } "
       "v_endif;"
       "r = least;",
       [](double x, double y) { return y > 0 ? std::fmin(x, 1) : x; }},
      {"vInt i = 5; i = i << 3; i += 2; i = i - 1; i = i & 0x2f; i = i | 0x100; i ^= vInt(1);"
       "r = int32_to_float(i, 0);",
       [](double, double) { return ((((5 << 3) + 2 - 1) & 0x2f) | 0x100) ^ 1; }},
      {"vInt i = -9; v_if (i < 0 && x > 0.0f) { i = ~i; } v_endif; r = int32_to_float(i >> 1, 0);",
       [](double x, double) { return x > 0 ? 4 : -5; }},
      {"vUInt u = 0xf0u; u = shft(u, -4) | shft(u, 4); r = int32_to_float(vInt(u), 0);",
       [](double, double) { return 0xf0f; }},
      {"vUInt u = shft(vUInt(1u), exexp(x) + 10); r = int32_to_float(lz(u), 0);",
       [](double x, double) {
         const int amount = std::ilogb(x) + 10;
         return amount < 0 ? 32 : 31 - amount;
       }},
      {"r = int32_to_float(lz(vInt(0)), 0) + int32_to_float(lz(vInt(-1)), 0);",
       [](double, double) { return 32; }},
      {"r = int32_to_float(vInt(float_to_uint8(x * 100.0f, 0)), 0);",
       [](double x, double) {
         const float scaled = static_cast<float>(x) * 100.0f;
         return std::fmax(0, std::fmin(255, std::nearbyint(scaled)));
       }},
      {"r = int32_to_float(float_to_int16(x * 20000.0f, 0), 0);",
       [](double x, double) {
         const float scaled = static_cast<float>(x) * 20000.0f;
         return std::fmax(-32767, std::fmin(32767, std::nearbyint(scaled)));
       }},
      {"v_if (reinterpret<vInt>(x) < 0) { r = 1.0f; } v_else { r = 2.0f; } v_endif;",
       [](double x, double) { return x < 0 ? 1 : 2; }},
  };
}

// Each snippet is a function of its own, applied to the faces of DST tiles 0 and 1.
TEST(Sfpi, VectorsOfFloatsComputeWhatTheySay) {
  const std::vector<FloatSnippet> snippets = float_snippets();
  std::string functions;
  std::string body;
  for (size_t i = 0; i < snippets.size(); ++i) {
    absl::StrAppend(&functions, "void face_", i,
                    "(uint32_t a, uint32_t b, uint32_t out) { for (int d = 0; d < 8; ++d) {"
                    "vFloat x = dst_reg[a * 32]; vFloat y = dst_reg[b * 32]; vFloat r = 0.0f;",
                    snippets[i].text, "dst_reg[out * 32] = r; dst_reg++; } }\n");
    absl::StrAppend(&body,
                    "tile_regs_acquire(); copy_tile(0, 0, 0); copy_tile(0, 1, 1);"
                    "_llk_math_eltwise_binary_sfpu_params_<false>(face_",
                    i, ", 0, 1, 2); tile_regs_commit(); tile_regs_wait(); pack_tile<true>(2, 16, ",
                    i, "); tile_regs_release();\n");
  }
  const std::vector<Tile> inputs = {random_tile(1), random_tile(2)};
  TileProgram program;
  program.prelude(functions).input(0, DataFormat::Float32, inputs);
  program.output(16, DataFormat::Float32, static_cast<uint32_t>(snippets.size()));
  const absl::Status status = program.run(body);
  ASSERT_TRUE(status.ok()) << status;
  for (uint32_t s = 0; s < snippets.size(); ++s) {
    const Tile results = program.floats(16, s);
    for (uint32_t i = 0; i < kTileElements; ++i) {
      const double expected = snippets[s].reference(inputs[0][i], inputs[1][i]);
      ASSERT_NEAR(results[i], expected, 1e-6 * std::abs(expected) + 4e-6)
          << snippets[s].text << " of " << inputs[0][i] << ", " << inputs[1][i];
    }
  }
}

// As TT-Metalium's example custom_sfpi_smoothstep has it.
constexpr char kSmoothstep[] = R"(
#ifdef TRISC_MATH
void smoothstep_tile_face(float edge0, float edge1) {
  const float inv_delta = 1.0f / (edge1 - edge0);
  for (size_t i = 0; i < 8; i++) {
    vFloat x = dst_reg[i];
    vFloat t = (x - edge0) * inv_delta;
    v_if(t < 0.0f) { t = 0.0f; }
    v_elseif(t > 1.0f) { t = 1.0f; }
    v_endif;
    dst_reg[i] = t * t * (3.0f - 2.0f * t);
  }
}
inline void smoothstep_tile(uint32_t dst, int mode) {
  _llk_math_eltwise_unary_sfpu_params_<false>(smoothstep_tile_face, dst, mode, 0.5f, 2.5f);
}
#endif
)";

TEST(Sfpi, FunctionsOfOneTileGoByFaces) {
  const Tile input = random_tile(1);
  TileProgram program;
  program.prelude(kSmoothstep).input(0, DataFormat::Float32, {input});
  program.output(16, DataFormat::Float32, 2);
  const absl::Status status = program.run(
      "llk_math_eltwise_unary_sfpu_init<SfpuType::unused, false>(); tile_regs_acquire();"
      "copy_tile(0, 0, 3); copy_tile(0, 0, 2);"
      "MATH((smoothstep_tile(3, (int)VectorMode::RC)));"
      "MATH((smoothstep_tile(2, (int)VectorMode::C))); pack_tile(3, 16); pack_tile(2, 16);");
  ASSERT_TRUE(status.ok()) << status;
  for (uint32_t i = 0; i < kTileElements; ++i) {
    const double t = std::fmax(0, std::fmin(1, (input[i] - 0.5) / 2));
    const double expected = t * t * (3 - 2 * t);
    ASSERT_NEAR(program.floats(16, 0)[i], expected, 1e-6);
    ASSERT_NEAR(program.floats(16, 1)[i], i / 256 % 2 == 0 ? expected : input[i], 1e-6);
  }
}

// What a kernel makes of tile 0 by a function of its own, applied to the faces of tile 2 of DST.
Tile made_by_face(const Tile& input, const std::string& functions, const std::string& call) {
  TileProgram program;
  program.prelude(functions).input(0, DataFormat::Float32, {input});
  program.output(16, DataFormat::Float32, 1);
  const absl::Status status =
      program.run("tile_regs_acquire(); copy_tile(0, 0, 2); " + call + "; pack_tile(2, 16);");
  EXPECT_TRUE(status.ok()) << status;
  return program.floats(16, 0);
}

// Attention kernels of 2025 compute on half of a face's vectors, in which its first column is.
TEST(Sfpi, EvenVectorsOfAFaceAreItsEvenColumns) {
  const Tile input = random_tile(1);
  const Tile results =
      made_by_face(input,
                   "void face() { for (int d = 0; d < 4; ++d) { dst_reg[0] = "
                   "ckernel::sfpu::_reciprocal_compat_<3>(dst_reg[0]); dst_reg += 2; } }",
                   "_llk_math_eltwise_unary_sfpu_params_<false>(face, 2, (int)VectorMode::C)");
  for (uint32_t i = 0; i < kTileElements; ++i) {
    const bool is_computed = i / 256 % 2 == 0 && i % 2 == 0;
    ASSERT_EQ(results[i], is_computed ? 1 / input[i] : input[i]) << i;
  }
}

TEST(Sfpi, FunctionsOfOneVectorAreAccurate) {
  struct Function {
    const char* text;
    double (*reference)(double);
  };
  const std::vector<Function> functions = {
      {"dst_reg[d] = ckernel::sfpu::_sfpu_exp_21f_<false>(dst_reg[d])",
       [](double x) { return std::exp(x); }},
      {"dst_reg[d] = ckernel::sfpu::_sfpu_exp_61f_(dst_reg[d] * 8.0f)",
       [](double x) { return std::exp(8 * x); }},
      {"dst_reg[d] = (ckernel::sfpu::_calculate_exponential_piecewise_<true, true, "
       "true>(dst_reg[d], 0x3f00))",
       [](double x) { return std::exp(x / 2); }},
      {"dst_reg[d] = ckernel::sfpu::_sfpu_reciprocal_<2>(dst_reg[d])",
       [](double x) { return 1 / x; }},
      {"ckernel::sfpu::calculate_softplus_body<false>(2.0f, 0.5f, 20.0f); dst_reg++",
       [](double x) { return 2 * x > 20 ? x : std::log1p(std::exp(2 * x)) / 2; }}};
  const Tile input = random_tile(1);
  for (const Function& function : functions) {
    const Tile results = made_by_face(
        input,
        std::string("void face() { for (int d = 0; d < 8; ++d) { ") + function.text + "; } }",
        "_llk_math_eltwise_unary_sfpu_params_<false>(face, 2)");
    for (uint32_t i = 0; i < kTileElements; ++i) {
      const double expected = function.reference(input[i]);
      ASSERT_NEAR(results[i], expected, 1e-6 * std::abs(expected)) << function.text << input[i];
    }
  }
}

TEST(Sfpi, DstBeginsAtTheTileThatItsAddressIsSetTo) {
  const Tile input = random_tile(1);
  const Tile results = made_by_face(
      input, "sfpi_inline void tile() { for (int d = 0; d < 32; ++d) dst_reg[d] += 1.0f; }",
      "math::set_dst_write_addr<DstTileLayout::Default, DstTileShape::Tile32x32>(2);"
      "TTI_STALLWAIT(p_stall::STALL_SFPU, p_stall::MATH); tile(); math::clear_dst_reg_addr()");
  for (uint32_t i = 0; i < kTileElements; ++i) ASSERT_EQ(results[i], input[i] + 1.0f);
}

// As attention kernels of 2026 go through the left faces: eight rows at a time.
TEST(Sfpi, CountersOfRowsMoveDst) {
  const Tile input = random_tile(1);
  const Tile results = made_by_face(
      input, "void face() { for (int d = 0; d < 8; ++d) { dst_reg[0] += 1.0f; dst_reg++; } }",
      "math::set_dst_write_addr<DstTileLayout::Default, DstTileShape::Tile32x32>(2);"
      "math::set_addr_mod_base(); for (int i = 0; i < 2; ++i) { face(); for (int j = 0; j < 4; ++j)"
      "TTI_SETRWC(p_setrwc::CLR_NONE, p_setrwc::CR_D, 8, 0, 0, p_setrwc::SET_D); }"
      "math::clear_dst_reg_addr(); math::clear_addr_mod_base()");
  for (uint32_t i = 0; i < kTileElements; ++i)
    ASSERT_EQ(results[i], i / 256 % 2 == 0 ? input[i] + 1.0f : input[i]);
}

// Until mid-2025 a function of two tiles is told how far they are apart.
TEST(Sfpi, FunctionsOfTwoTilesMayTakeTheDistanceAlone) {
  const std::vector<Tile> inputs = {random_tile(1), random_tile(2)};
  TileProgram program;
  program.prelude(
      "void face(uint32_t offset, float scale) { for (int d = 0; d < 8; ++d) { dst_reg[0] = "
      "dst_reg[0] + dst_reg[offset * 32] * scale; dst_reg++; } }");
  program.input(0, DataFormat::Float32, inputs).output(16, DataFormat::Float32, 1);
  const absl::Status status = program.run(
      "tile_regs_acquire(); copy_tile(0, 0, 1); copy_tile(0, 1, 3);"
      "_llk_math_eltwise_binary_sfpu_params_<false>(face, 1, 3, (int)VectorMode::RC, 2.0f);"
      "pack_tile(1, 16);");
  ASSERT_TRUE(status.ok()) << status;
  for (uint32_t i = 0; i < kTileElements; ++i)
    ASSERT_EQ(program.floats(16, 0)[i], inputs[0][i] + inputs[1][i] * 2.0f);
}

TEST(Sfpi, WholeNumbersInDstStayWhole) {
  TileProgram program;
  program
      .prelude(
          "void face() { for (int d = 0; d < 8; d++) { vInt i = dst_reg[d]; v_if (i < 0) { i = -i; "
          "}"
          "v_endif; dst_reg[d] = i + 1; } }")
      .input_words(0, DataFormat::Int32, {random_words(1)})
      .output(16, DataFormat::Int32, 1);
  const absl::Status status = program.run(
      "tile_regs_acquire(); copy_tile(0, 0, 0);"
      "llk_math_eltwise_unary_sfpu_params<false>(face, 0); pack_tile(0, 16);");
  ASSERT_TRUE(status.ok()) << status;
  const WordTile input = random_words(1);
  for (uint32_t i = 0; i < kTileElements; ++i) {
    ASSERT_EQ(program.words(16, 0)[i], ((input[i] >> 31) != 0 ? 0 - input[i] : input[i]) + 1);
  }
}

std::string failure_of_face(const std::string& face) {
  TileProgram program;
  program.prelude("void face() { " + face + " }");
  program.input(0, DataFormat::Float32, {random_tile(1)}).output(16, DataFormat::Float32, 1);
  return message_of(
      program.run("tile_regs_acquire(); _llk_math_eltwise_unary_sfpu_params_<false>(face, 0);"));
}

TEST(Sfpi, TilesThatDstDoesNotHaveFail) {
  EXPECT_THAT(failure_of_face("dst_reg[0] = dst_reg[16 * 32];"), HasSubstr("DST has no tile 16"));
}

// What depends on the hardware's lanes is not there.
TEST(Sfpi, WhatDependsOnLanesDoesNotCompile) {
  const std::string message = failure_of_face(
      "vInt i = vConstTileId; vFloat x = subvec_shflror1(dst_reg[0]);"
      "vFloat y = lut(dst_reg[0], 0u, 0u, 0u);");
  for (const std::string name : {"vConstTileId", "subvec_shflror1", "lut"}) {
    EXPECT_THAT(message, HasSubstr("use of undeclared identifier '" + name + "'"));
  }
}

}  // namespace
}  // namespace lightmetal::device::testing
