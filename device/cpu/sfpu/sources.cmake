# What compute kernels do with tiles of DST alone, part of the device library.
target_sources(lightmetal_device PRIVATE
  ${CMAKE_CURRENT_LIST_DIR}/activations.cc
  ${CMAKE_CURRENT_LIST_DIR}/binary.cc
  ${CMAKE_CURRENT_LIST_DIR}/exponentials.cc
  ${CMAKE_CURRENT_LIST_DIR}/integers.cc
  ${CMAKE_CURRENT_LIST_DIR}/services.cc
  ${CMAKE_CURRENT_LIST_DIR}/trigonometry.cc
  ${CMAKE_CURRENT_LIST_DIR}/typecast.cc
  ${CMAKE_CURRENT_LIST_DIR}/unary_arithmetic.cc
  ${CMAKE_CURRENT_LIST_DIR}/unary_in_double.cc)
