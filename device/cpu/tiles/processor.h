#pragma once

// What this machine's processor and operating system offer beyond what Highway 1.0 knows of. Each
// answer is found once and kept. Thread-safe.
namespace lightmetal::device::cpu {

// Dot products of pairs of bfloat16 (AVX512-BF16), and the AVX-512 that goes with them.
bool has_avx512_bf16();

// Products of tiles of bfloat16 (AMX). Asks the system to keep tile registers for this process.
bool has_amx_bf16();

}  // namespace lightmetal::device::cpu
