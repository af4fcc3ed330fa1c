# What the CPU device's speed must not cost: results that differ with the number of workers, products that differ with the
# kind of instructions, and allocations in every launch.
set(benchmarks ${PROJECT_SOURCE_DIR}/benchmarks)

lightmetal_test(speed_test SOURCES device/speed_test.cc device/tiles/bfloat16_product_test.cc ${benchmarks}/programs.cc
                DEPENDS lightmetal_example LightMetal::LightMetal)
target_compile_definitions(speed_test PRIVATE LIGHTMETAL_BENCHMARK_KERNELS="${benchmarks}/kernels")

# Replaces the functions that allocate memory, as sanitizers do.
if(NOT LIGHTMETAL_SANITIZE)
  lightmetal_test(launch_allocation_test SOURCES device/launch_allocation_test.cc ${benchmarks}/counted_allocations.cc ${benchmarks}/programs.cc
                  DEPENDS lightmetal_example LightMetal::LightMetal)
  target_compile_definitions(launch_allocation_test PRIVATE LIGHTMETAL_BENCHMARK_KERNELS="${benchmarks}/kernels")
endif()
