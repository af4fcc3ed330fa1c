# The part of the host API that knows of captures: what fills the commands, and the Light Metal calls themselves.
set(LIGHTMETAL_API_CAPTURE_SOURCES
  ${CMAKE_CURRENT_LIST_DIR}/record/capture_calls.cc
  ${CMAKE_CURRENT_LIST_DIR}/capture/light_metal_capture.cc
  ${CMAKE_CURRENT_LIST_DIR}/record/record_fields.cc
  ${CMAKE_CURRENT_LIST_DIR}/capture/snapshot.cc
  ${CMAKE_CURRENT_LIST_DIR}/capture/snapshot_devices.cc
  ${CMAKE_CURRENT_LIST_DIR}/capture/snapshot_memory.cc
  ${CMAKE_CURRENT_LIST_DIR}/capture/snapshot_programs.cc
  ${CMAKE_CURRENT_LIST_DIR}/capture/written_memory.cc)
set(LIGHTMETAL_API_LIGHTMETAL_SOURCES
  ${CMAKE_CURRENT_LIST_DIR}/capture/bindings.cc
  ${CMAKE_CURRENT_LIST_DIR}/capture/binary_content.cc
  ${CMAKE_CURRENT_LIST_DIR}/capture/light_metal_binary.cc
  ${CMAKE_CURRENT_LIST_DIR}/capture/light_metal_compare.cc
  ${CMAKE_CURRENT_LIST_DIR}/capture/scopes.cc)
if(NOT LIGHTMETAL_ENABLE_CAPTURE)
  list(APPEND LIGHTMETAL_API_LIGHTMETAL_SOURCES ${CMAKE_CURRENT_LIST_DIR}/capture/light_metal_no_capture.cc)
endif()
