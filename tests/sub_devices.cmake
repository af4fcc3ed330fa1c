# Sub-devices, global circular buffers, coordinates: on the CPU device, captured and replayed.
foreach(area IN ITEMS sub_device global_circular_buffer coordinates sharded_buffer lenient_programs)
  lightmetal_test(${area}_test SOURCES ${CMAKE_CURRENT_LIST_DIR}/${area}_test.cc DEPENDS LightMetal::replay
                  LABELS needs_capture)
endforeach()
