# The sources of the host API's values, memory and helpers.
set(LIGHTMETAL_API_VALUE_SOURCES)
foreach(source IN ITEMS allocator assert bfloat16 blockfloat buffer buffer_io buffer_page_mapping core_cells core_coord core_selection
                        data_formats hal logger mesh/mesh_coord shape tensor_accessor_args tilize utils work_split)
  list(APPEND LIGHTMETAL_API_VALUE_SOURCES ${CMAKE_CURRENT_LIST_DIR}/${source}.cc)
endforeach()
