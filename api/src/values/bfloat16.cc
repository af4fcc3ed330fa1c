#include <algorithm>
#include <cmath>
#include <iostream>
#include <random>
#include <tt-metalium/assert.hpp>
#include <tt-metalium/bfloat16.hpp>

#include "api/src/values/random_floats.h"

namespace {

// As many words as hold `num_bytes`, each of two values that `next` gives in turn.
template <typename Next>
std::vector<uint32_t> make_words(std::size_t num_bytes, Next next) {
  std::vector<uint32_t> words(num_bytes / sizeof(uint32_t));
  for (uint32_t& word : words) {
    const bfloat16 first = next();
    word = pack_two_bfloat16_into_uint32({first, next()});
  }
  return words;
}

// Uniform in [offset, offset + range).
class RandomValues {
 public:
  RandomValues(float range, int seed, float offset) : floats_(range, seed), offset_(offset) {}
  bfloat16 operator()() { return bfloat16(floats_() + offset_); }

 private:
  tt::tt_metal::RandomFloats floats_;
  float offset_;
};

// Prints tiles of 32x32 values, row by row, as many as there are.
template <typename Value>
void print_tiles(const std::vector<Value>& values, int num_tiles, const std::string& name,
                 int first_tile) {
  constexpr std::size_t kRow = 32, kTile = kRow * kRow;
  const std::size_t wanted = static_cast<std::size_t>(std::max(num_tiles, 0)) * kTile;
  for (std::size_t i = 0; i < std::min(wanted, values.size()); ++i) {
    if (i % kTile == 0) std::cout << name << " tile " << first_tile + i / kTile << "\n";
    std::cout << values[i] << (i % kRow == kRow - 1 ? "\n" : ", ");
  }
  std::cout << std::endl;
}

}  // namespace

std::ostream& operator<<(std::ostream& os, const bfloat16& value) { return os << value.to_float(); }

uint32_t pack_two_bfloat16_into_uint32(std::pair<bfloat16, bfloat16> two) {
  return uint32_t{two.first.to_packed()} | uint32_t{two.second.to_packed()} << 16;
}

std::pair<bfloat16, bfloat16> unpack_two_bfloat16_from_uint32(uint32_t packed) {
  return {bfloat16(static_cast<uint16_t>(packed)), bfloat16(static_cast<uint16_t>(packed >> 16))};
}

uint32_t pack_bfloat16_into_uint32(bfloat16 value) {
  return pack_two_bfloat16_into_uint32({value, value});
}

std::vector<uint32_t> create_random_vector_of_bfloat16(std::size_t num_bytes, float rand_max_float,
                                                       int seed, float offset) {
  return make_words(num_bytes, RandomValues(rand_max_float, seed, offset));
}

std::vector<bfloat16> create_random_vector_of_bfloat16_native(std::size_t num_bytes,
                                                              float rand_max_float, int seed,
                                                              float offset) {
  std::vector<bfloat16> values(num_bytes / sizeof(bfloat16));
  std::generate(values.begin(), values.end(), RandomValues(rand_max_float, seed, offset));
  return values;
}

std::vector<uint32_t> create_random_vector_of_bfloat16_1_1(uint32_t num_bytes, int seed) {
  return create_random_vector_of_bfloat16(num_bytes, 2.0f, seed, -1.0f);
}

std::vector<uint32_t> create_random_vector_of_bfloat16_0_2(uint32_t num_bytes, int seed) {
  return create_random_vector_of_bfloat16(num_bytes, 2.0f, seed);
}

std::vector<uint32_t> create_random_binary_vector_of_bfloat16(std::size_t num_bytes, int seed) {
  std::mt19937 engine(seed);
  return make_words(num_bytes, [&engine] { return bfloat16(engine() & 1 ? 1.0f : 0.0f); });
}

std::vector<uint32_t> create_constant_vector_of_bfloat16(std::size_t num_bytes, float value) {
  return make_words(num_bytes, [value] { return bfloat16(value); });
}

std::vector<uint32_t> create_arange_vector_of_bfloat16(std::size_t num_bytes, bool print) {
  int next = 0;
  auto words = make_words(num_bytes, [&next] { return bfloat16(static_cast<float>(next++)); });
  for (std::size_t i = 0; print && i < words.size(); ++i)
    std::cout << i << ": " << words[i] << "\n";
  return words;
}

std::vector<bfloat16> create_identity_matrix(int rows, int cols, int num_ones) {
  TT_FATAL(rows >= 0 && cols >= 0 && num_ones <= std::min(rows, cols),
           "A matrix of {}x{} has no {} ones on its diagonal", rows, cols, num_ones);
  std::vector<bfloat16> matrix(static_cast<std::size_t>(rows) * cols, bfloat16(0.0f));
  for (int i = 0; i < num_ones; ++i)
    matrix[static_cast<std::size_t>(i) * cols + i] = bfloat16(1.0f);
  return matrix;
}

std::vector<uint32_t> pack_bfloat16_vec_into_uint32_vec(const std::vector<bfloat16>& values) {
  TT_FATAL(values.size() % 2 == 0, "{} values do not fill words of two", values.size());
  std::size_t next = 0;
  return make_words(values.size() * sizeof(bfloat16), [&] { return values[next++]; });
}

std::vector<bfloat16> unpack_uint32_vec_into_bfloat16_vec(
    const std::vector<uint32_t>& packed,
    const std::function<bfloat16(const bfloat16&)>& transform) {
  std::vector<bfloat16> values;
  values.reserve(packed.size() * 2);
  for (const uint32_t word : packed) {
    const auto [first, second] = unpack_two_bfloat16_from_uint32(word);
    values.push_back(transform(first));
    values.push_back(transform(second));
  }
  return values;
}

std::vector<float> unpack_uint32_vec_into_float_vec(const std::vector<uint32_t>& packed) {
  std::vector<float> values;
  values.reserve(packed.size() * 2);
  for (const uint32_t word : packed) {
    const auto [first, second] = unpack_two_bfloat16_from_uint32(word);
    values.push_back(first.to_float());
    values.push_back(second.to_float());
  }
  return values;
}

std::vector<uint16_t> u16_from_u32_vector(const std::vector<uint32_t>& packed) {
  std::vector<uint16_t> values;
  values.reserve(packed.size() * 2);
  for (const uint32_t word : packed) {
    values.push_back(static_cast<uint16_t>(word));
    values.push_back(static_cast<uint16_t>(word >> 16));
  }
  return values;
}

std::vector<uint32_t> u32_from_u16_vector(const std::vector<uint16_t>& values) {
  TT_FATAL(values.size() % 2 == 0, "{} values do not fill words of two", values.size());
  std::vector<uint32_t> words(values.size() / 2);
  for (std::size_t i = 0; i < words.size(); ++i)
    words[i] = values[2 * i] | uint32_t{values[2 * i + 1]} << 16;
  return words;
}

bool is_close(float a, float b, float rtol, float atol) {
  const float difference = std::fabs(a - b);
  return difference <= atol || difference <= rtol * std::max(std::fabs(a), std::fabs(b));
}

bool packed_uint32_t_vector_comparison(const std::vector<uint32_t>& a,
                                       const std::vector<uint32_t>& b,
                                       const std::function<bool(float, float)>& comparison,
                                       int* index_of_failure) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto [a_first, a_second] = unpack_two_bfloat16_from_uint32(a[i]);
    const auto [b_first, b_second] = unpack_two_bfloat16_from_uint32(b[i]);
    const bool first_holds = comparison(a_first.to_float(), b_first.to_float());
    if (first_holds && comparison(a_second.to_float(), b_second.to_float())) continue;
    if (index_of_failure != nullptr) *index_of_failure = static_cast<int>(i);
    return false;
  }
  return true;
}

void print_golden_metalium_vectors(std::vector<bfloat16>& golden, std::vector<bfloat16>& result) {
  const auto print = [](const char* title, const std::vector<bfloat16>& values) {
    std::cout << title << "\n";
    for (std::size_t i = 0; i < values.size(); ++i)
      std::cout << values[i] << (i % 16 == 15 ? "\n" : ", ");
    std::cout << "\n";
  };
  print("-- golden --", golden);
  print("-- metalium --", result);
}

void print_vec_of_bfloat16(const std::vector<bfloat16>& values, int num_tiles,
                           const std::string& name, int first_tile) {
  print_tiles(values, num_tiles, name, first_tile);
}

void print_vec_of_uint32_as_packed_bfloat16(const std::vector<uint32_t>& packed, int num_tiles,
                                            const std::string& name, int first_tile) {
  print_tiles(unpack_uint32_vec_into_bfloat16_vec(packed), num_tiles, name, first_tile);
}

void print_vec(const std::vector<uint32_t>& values, int num_tiles, const std::string& name,
               int first_tile) {
  print_tiles(values, num_tiles, name, first_tile);
}

bool equal_within_absolute_tolerance(float a, float b, float tolerance) {
  return std::fabs(a - b) < tolerance;
}

bool equal_within_n_sig_figs(float a, float b, int digits) {
  const int precision = std::max(digits, 1) - 1;
  return fmt::format("{:.{}e}", a, precision) == fmt::format("{:.{}e}", b, precision);
}
