# Sub-devices, global circular buffers, coordinates: on the CPU device, captured and replayed.
lightmetal_test(sub_devices_test
  SOURCES sub_device_test.cc global_circular_buffer_test.cc coordinates_test.cc sharded_buffer_test.cc lenient_programs_test.cc
  DEPENDS LightMetal::replay LABELS needs_capture)
