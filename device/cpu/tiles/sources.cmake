# What compute kernels do with tiles, part of the device library.
find_package(HWY REQUIRED CONFIG)
set_target_properties(hwy::hwy PROPERTIES IMPORTED_GLOBAL TRUE)  # whoever links the device library links it too
target_sources(lightmetal_device PRIVATE
  ${CMAKE_CURRENT_LIST_DIR}/block_formats.cc
  ${CMAKE_CURRENT_LIST_DIR}/dst.cc
  ${CMAKE_CURRENT_LIST_DIR}/elementwise.cc
  ${CMAKE_CURRENT_LIST_DIR}/formats.cc
  ${CMAKE_CURRENT_LIST_DIR}/integer_operands.cc
  ${CMAKE_CURRENT_LIST_DIR}/matmul.cc
  ${CMAKE_CURRENT_LIST_DIR}/operands.cc
  ${CMAKE_CURRENT_LIST_DIR}/processor.cc
  ${CMAKE_CURRENT_LIST_DIR}/bfloat16_binary.cc
  ${CMAKE_CURRENT_LIST_DIR}/bfloat16_product.cc
  ${CMAKE_CURRENT_LIST_DIR}/matmul_services.cc
  ${CMAKE_CURRENT_LIST_DIR}/tile_engines.cc
  ${CMAKE_CURRENT_LIST_DIR}/tile_shape.cc
  ${CMAKE_CURRENT_LIST_DIR}/float16_format.cc
  ${CMAKE_CURRENT_LIST_DIR}/layout_services.cc
  ${CMAKE_CURRENT_LIST_DIR}/packing.cc
  ${CMAKE_CURRENT_LIST_DIR}/shapes.cc
  ${CMAKE_CURRENT_LIST_DIR}/shape_services.cc
  ${CMAKE_CURRENT_LIST_DIR}/services.cc)
target_link_libraries(lightmetal_device PRIVATE hwy::hwy)
