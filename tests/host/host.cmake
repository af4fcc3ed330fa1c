# The rules of the host API.
lightmetal_test(host_test SOURCES host/host_buffer_test.cc host/host_core_set_test.cc host/host_device_test.cc host/host_program_test.cc
                                  host/host_global_test.cc host/host_distribution_test.cc
                DEPENDS LightMetal::host)
