find_package(Boost REQUIRED COMPONENTS context)
lightmetal_test(device_test SOURCES device_test.cc device_launch_test.cc fiber_test.cc DEPENDS LightMetal::device Boost::context)
