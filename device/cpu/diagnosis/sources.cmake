# What the device finds out about kernels that go wrong, part of the device library.
target_sources(lightmetal_device PRIVATE
  ${CMAKE_CURRENT_LIST_DIR}/checks.cc
  ${CMAKE_CURRENT_LIST_DIR}/circular_buffer_protocol.cc
  ${CMAKE_CURRENT_LIST_DIR}/delayed_transfers.cc
  ${CMAKE_CURRENT_LIST_DIR}/services.cc
  ${CMAKE_CURRENT_LIST_DIR}/tile_checks.cc
  ${CMAKE_CURRENT_LIST_DIR}/tolerance.cc
  ${CMAKE_CURRENT_LIST_DIR}/transfer_checks.cc)
