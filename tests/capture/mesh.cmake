# Programs in the style of the unit mesh, captured and replayed; mesh_api_test has the calls alone.
lightmetal_test(mesh_capture_test SOURCES capture/mesh_capture_test.cc
                DEPENDS LightMetal::replay LABELS needs_capture)
