# The host API's calls: devices, programs, queues, traces.
lightmetal_test(api_calls_test
  SOURCES cluster_api_test.cc device_api_test.cc mesh_api_test.cc program_api_test.cc circular_buffer_api_test.cc
          runtime_args_api_test.cc queue_api_test.cc trace_api_test.cc
  DEPENDS LightMetal::api)
