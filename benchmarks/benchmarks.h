#pragma once

#include <string>

#include "benchmarks/ratio.h"

// The benchmarks behind summary.json. The definition of each says what it measures over what.
namespace lightmetal::bench {

// Benchmarks on the null device.
Ratio capture_idle_call(const std::string& bin_folder, const std::string& call);
Ratio capture_small_call();
Ratio capture_file_call(const std::string& folder);
Ratio capture_payload(const std::string& folder);
Ratio replay_dispatch();
Ratio dedup_size(const std::string& folder);  // bytes
Ratio open_scaling(const std::string& folder);
Ratio info_speed(const std::string& folder);
Ratio command_scaling(const std::string& folder);
Ratio live_object_scaling(const std::string& folder);

// Benchmarks on the CPU device.
Ratio replay_vs_live();
Ratio transformer_replay_vs_live();
Ratio mesh_vs_classic();
Ratio trace_vs_eager();
Ratio fixed_schedule();
Ratio matmul_vs_openblas();  // GFLOP/s
Ratio launch_vs_thread_per_kernel();
Ratio vecadd_vs_loop();  // GB/s
Ratio kernel_cache_hit();
Ratio kernel_compile(const std::string& folder);
Ratio verify_vs_read(const std::string& folder);
Ratio resident_run();
Ratio overlap(const std::string& folder);
Ratio stitch_bytes();
Ratio cold_start_vs_compile(const std::string& bin_folder, const std::string& folder);
Ratio run_allocations(const std::string& bin_folder);  // of a run
Ratio compare_exact();
Ratio compare_tolerance();
Ratio bench_overhead(const std::string& bin_folder, const std::string& folder);
Ratio suite_scaling(const std::string& bin_folder, const std::string& folder);
Ratio capture_rss_mb(const std::string& bin_folder, const std::string& folder);  // MiB

}  // namespace lightmetal::bench
