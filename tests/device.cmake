lightmetal_test(device_test SOURCES ${CMAKE_CURRENT_LIST_DIR}/device_test.cc
                DEPENDS LightMetal::device)
lightmetal_test(device_launch_test SOURCES ${CMAKE_CURRENT_LIST_DIR}/device_launch_test.cc
                DEPENDS LightMetal::device)
find_package(Boost REQUIRED COMPONENTS context)
lightmetal_test(fiber_test SOURCES ${CMAKE_CURRENT_LIST_DIR}/fiber_test.cc
                DEPENDS LightMetal::device Boost::context)
