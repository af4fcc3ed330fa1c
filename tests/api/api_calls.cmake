# The host API's calls: devices, programs, queues, traces.
lightmetal_test(api_calls_test
  SOURCES api/cluster_api_test.cc api/device_api_test.cc api/mesh_api_test.cc api/mesh_of_devices_test.cc api/mesh_traces_test.cc
          api/mesh_transfers_test.cc api/program_api_test.cc
          api/program_descriptor_test.cc api/circular_buffer_api_test.cc api/runtime_args_api_test.cc api/queue_api_test.cc
          api/trace_api_test.cc
  DEPENDS LightMetal::api)
# Less common overloads of the calls.
lightmetal_test(overloads_test SOURCES api/overloads_test.cc DEPENDS LightMetal::api)

# Programs from specifications.
lightmetal_test(program_spec_test SOURCES api/program_spec_test.cc api/program_spec_refusal_test.cc DEPENDS LightMetal::api)
target_compile_definitions(program_spec_test PRIVATE LIGHTMETAL_SOURCE_FOLDER="${PROJECT_SOURCE_DIR}")

if(LIGHTMETAL_ENABLE_CAPTURE)
  lightmetal_test(slow_dispatch_test SOURCES api/slow_dispatch_test.cc DEPENDS LightMetal::LightMetal LABELS needs_capture)
endif()
