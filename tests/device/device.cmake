find_package(Boost REQUIRED COMPONENTS context)
lightmetal_test(device_test SOURCES device/device_test.cc device/device_launch_test.cc device/division_test.cc device/fiber_test.cc device/full_stack_test.cc
                            DEPENDS LightMetal::device Boost::context)
