# Sub-devices, global circular buffers, coordinates: on the CPU device, captured and replayed.
lightmetal_test(sub_devices_test
  SOURCES api/sub_device_test.cc api/global_circular_buffer_test.cc api/coordinates_test.cc api/sharded_buffer_test.cc
          api/lenient_programs_test.cc api/profiler_test.cc
  DEPENDS LightMetal::replay LABELS needs_capture)
# Shards of tensors of any rank: on the host, in kernels, captured and replayed.
lightmetal_test(nd_shards_test SOURCES api/buffer_distribution_test.cc DEPENDS LightMetal::replay LABELS needs_capture)
lightmetal_test(nd_tensors_test SOURCES api/nd_tensor_test.cc DEPENDS LightMetal::replay LABELS needs_capture)
