# Programs on meshes, captured and replayed; mesh_api_test and mesh_of_devices_test have the calls alone.
lightmetal_test(mesh_capture_test SOURCES capture/mesh_capture_test.cc capture/mesh_of_devices_capture_test.cc
                DEPENDS LightMetal::replay LABELS needs_capture)
