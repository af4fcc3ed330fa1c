# Programs with tensors, captured and replayed.
lightmetal_test(tensor_capture_test SOURCES capture/tensor_capture_test.cc
                DEPENDS LightMetal::replay LABELS needs_capture)
