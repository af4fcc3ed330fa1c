// Writes the captured programs that the tests of the C library and of the Python package run.
// Usage: write_programs FOLDER
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <functional>
#include <iostream>
#include <stdexcept>
#include <string>
#include <tt-metalium/host_api.hpp>
#include <tt-metalium/lightmetal_capture_utils.hpp>
#include <utility>
#include <vector>

#include "base/tensor_desc.h"
#include "schema/file/reader.h"
#include "schema/file/signature.h"
#include "schema/file/signing_key.h"
#include "schema/storage/memory_sink.h"
#include "tests/runtime/scaling_program.h"

namespace lightmetal::testing {
namespace {

namespace tm = tt::tt_metal;

constexpr uint32_t kPageWords = kScaledPage / sizeof(uint32_t);

std::vector<uint32_t> counting(uint32_t count, uint32_t first) {
  std::vector<uint32_t> words(count);
  for (uint32_t i = 0; i < count; ++i) words[i] = first + i;
  return words;
}

// y = factor * x + w, in words, whatever the tensors are said to be.
struct Program {
  Program(tm::IDevice* the_device, uint32_t the_pages)
      : device(the_device),
        pages(the_pages),
        x(scaled_buffer(device, pages)),
        w(scaled_buffer(device, pages)),
        y(scaled_buffer(device, pages)),
        scaling(x, w, y) {}

  void bind(const TensorDesc& tensor) {
    tm::LightMetalBindInput("x", x, tensor);
    tm::LightMetalBindConstant("w", w, tensor);
    tm::LightMetalBindOutput("y", y, tensor);
  }
  void write(const ScalingProgram::BufferPointer& buffer, uint32_t first, uint32_t step = 1) {
    std::vector<uint32_t> words(size_t{pages} * kPageWords, first);
    if (step != 0) words = counting(pages * kPageWords, first);
    tm::EnqueueWriteBuffer(device->command_queue(), buffer, words, false);
  }
  void launch() { tm::EnqueueProgram(device->command_queue(), scaling.program, false); }

  tm::IDevice* const device;
  const uint32_t pages;
  ScalingProgram::BufferPointer x, w, y;
  ScalingProgram scaling;
};

// The program's buffers begin behind `offset` in each DRAM bank.
void capture(const std::string& file, uint32_t pages, const std::function<void(Program&)>& work,
             const char* offset = "0") {
  setenv("LIGHTMETAL_ALLOCATOR_OFFSET", offset, 1);
  tm::LightMetalBeginCapture();
  tm::IDevice* device = tm::CreateDevice(0);
  {
    Program program(device, pages);
    work(program);
  }
  tm::CloseDevice(device);
  tm::LightMetalEndCapture().save_to_file(file);
}

// y = 3 * x + w; x is 5, 6, ... and w 1000, 1001, ...
void write_scaling(const std::string& folder) {
  capture(folder + "/scaling.lmb", 4, [](Program& program) {
    program.bind({{4, 16}, TensorType::UInt32});
    program.scaling.set_factor(3);
    program.write(program.w, 1000);
    tm::LightMetalEntryBegin("scale");
    program.write(program.x, 5);
    program.launch();
    tm::LightMetalEntryEnd();
  });
}

// y = 2 * x by "twice", y = 7 * x by "sevenfold".
void write_two_entries(const std::string& folder) {
  capture(folder + "/two_entries.lmb", 4, [](Program& program) {
    program.bind({{4, 16}, TensorType::UInt32});
    program.write(program.w, 0, 0);
    for (const auto& [name, factor] : {std::pair("twice", 2u), std::pair("sevenfold", 7u)}) {
      tm::LightMetalEntryBegin(name);
      program.scaling.set_factor(factor);
      program.write(program.x, 1);
      program.launch();
      tm::LightMetalEntryEnd();
    }
  });
}

// y = 5 * x + w, with w 7, 8, ...: of values as scaling.lmb has them, and in tiles. Neither lies
// where scaling.lmb does.
void write_next(const std::string& folder) {
  const auto work = [](TensorOrder order) {
    return [order](Program& program) {
      program.bind({{4, 16}, TensorType::UInt32, order});
      program.scaling.set_factor(5);
      program.write(program.w, 7, order == TensorOrder::RowMajor ? 1 : 0);
      tm::LightMetalEntryBegin("scale");
      program.write(program.x, 0, 0);
      program.launch();
      tm::LightMetalEntryEnd();
    };
  };
  capture(folder + "/next.lmb", 4, work(TensorOrder::RowMajor), "64K");
  capture(folder + "/next_in_tiles.lmb", 64, work(TensorOrder::Tile), "128K");
}

// y = 5 * x + w, all of them in tiles, and both x and w are inputs.
void write_two_inputs(const std::string& folder) {
  const auto work = [](Program& program) {
    const TensorDesc tensor = {{4, 16}, TensorType::UInt32, TensorOrder::Tile};
    tm::LightMetalBindInput("x", program.x, tensor);
    tm::LightMetalBindInput("w", program.w, tensor);
    tm::LightMetalBindOutput("y", program.y, tensor);
    program.scaling.set_factor(5);
    tm::LightMetalEntryBegin("scale");
    program.write(program.x, 0, 0);
    program.write(program.w, 0, 0);
    program.launch();
    tm::LightMetalEntryEnd();
  };
  capture(folder + "/two_inputs_in_tiles.lmb", 64, work, "192K");
}

// y = 2 * x + w; x is 5, 6, ..., and w has the first half of its buffer.
void write_two_shapes(const std::string& folder) {
  const auto work = [](Program& program) {
    tm::LightMetalBindInput("x", program.x, {{4, 16}, TensorType::UInt32});
    tm::LightMetalBindInput("w", program.w, {{2, 16}, TensorType::UInt32});
    tm::LightMetalBindOutput("y", program.y, {{4, 16}, TensorType::UInt32});
    program.scaling.set_factor(2);
    tm::LightMetalEntryBegin("scale");
    program.write(program.x, 5);
    program.launch();
    tm::LightMetalEntryEnd();
  };
  capture(folder + "/two_shapes.lmb", 4, work, "256K");
}

schema::SecretKey new_key(const std::string& published) {
  const auto key = schema::SecretKey::generate();
  if (!key.ok()) throw std::runtime_error(key.status().ToString());
  std::ofstream(published) << key->public_key().to_text();
  return *key;
}

// scaling.lmb with a signature, the key of that, and another key.
void write_signed(const std::string& folder) {
  new_key(folder + "/other.pub");
  const auto file = schema::File::open(folder + "/scaling.lmb");
  if (!file.ok()) throw std::runtime_error(file.status().ToString());
  schema::MemorySink sink;
  const absl::Status status = schema::sign(**file, new_key(folder + "/signer.pub"), sink);
  if (!status.ok()) throw std::runtime_error(status.ToString());
  const auto bytes = sink.take_as<char>();
  std::ofstream(folder + "/signed.lmb", std::ios::binary).write(bytes.data(), bytes.size());
}

// state = state + 1.
void write_counter(const std::string& folder) {
  capture(folder + "/counter.lmb", 4, [](Program& program) {
    tm::LightMetalBindInOut("state", program.x, {{64}, TensorType::UInt32});
    ScalingProgram adds(program.x, program.w, program.x);
    program.write(program.w, 1, 0);
    program.write(program.x, 0, 0);
    tm::LightMetalEntryBegin("add");
    tm::EnqueueProgram(program.device->command_queue(), adds.program, false);
    tm::LightMetalEntryEnd();
  });
}

// y = x.
void write_copy(const std::string& folder, const std::string& name, const TensorDesc& tensor) {
  const auto pages =
      static_cast<uint32_t>((tensor.size_in_buffer() + kScaledPage - 1) / kScaledPage);
  capture(folder + "/" + name + ".lmb", pages, [&](Program& program) {
    program.bind(tensor);
    program.write(program.w, 0, 0);
    tm::LightMetalEntryBegin("copy");
    program.write(program.x, 0, 0);
    program.launch();
    tm::LightMetalEntryEnd();
  });
}

void write_all(const std::string& folder) {
  write_scaling(folder);
  write_two_entries(folder);
  write_next(folder);
  write_two_inputs(folder);
  write_two_shapes(folder);
  write_signed(folder);
  write_counter(folder);
  write_copy(folder, "uint8", {{2, 50}, TensorType::UInt8});
  write_copy(folder, "uint16", {{3, 5, 7}, TensorType::UInt16});
  write_copy(folder, "int32", {{64}, TensorType::Int32});
  write_copy(folder, "uint32", {{8, 8}, TensorType::UInt32});
  write_copy(folder, "float32", {{2, 3, 4, 5}, TensorType::Float32});
  write_copy(folder, "bfloat16", {{2, 3, 33}, TensorType::BFloat16, TensorOrder::Tile});
  write_copy(folder, "scalar", {{}, TensorType::Float32});
}

}  // namespace
}  // namespace lightmetal::testing

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: write_programs FOLDER\n";
    return 2;
  }
  try {
    lightmetal::testing::write_all(argv[1]);
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
