# The sources of the host API's values, memory and helpers.
set(LIGHTMETAL_API_VALUE_SOURCES)
foreach(source IN ITEMS memory/allocator support/assert values/bfloat16 values/blockfloat memory/buffer memory/buffer_bindings memory/buffer_io
                        memory/buffer_distribution_spec memory/buffer_page_mapping values/core_cells values/core_coord values/core_coordinates
                        values/core_selection
                        values/data_formats values/hal values/process_profile support/logger mesh/mesh_coord values/shape values/tensor_accessor_args values/tilize
                        support/utils values/work_split)
  list(APPEND LIGHTMETAL_API_VALUE_SOURCES ${CMAKE_CURRENT_LIST_DIR}/${source}.cc)
endforeach()
