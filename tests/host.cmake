# The rules of the host API.
lightmetal_test(host_test SOURCES host_buffer_test.cc host_core_set_test.cc host_device_test.cc host_program_test.cc host_global_test.cc
                DEPENDS LightMetal::host)
