# What links the Ethernet cores of devices, part of the device library.
target_sources(lightmetal_device PRIVATE
  ${CMAKE_CURRENT_LIST_DIR}/link_end.cc
  ${CMAKE_CURRENT_LIST_DIR}/links.cc
  ${CMAKE_CURRENT_LIST_DIR}/services.cc)
