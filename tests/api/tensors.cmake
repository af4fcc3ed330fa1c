# Tensors: values of the host, and what devices are given of them.
lightmetal_test(tensors_test SOURCES api/tensor_spec_test.cc api/host_tensor_test.cc api/mesh_tensor_test.cc
                DEPENDS LightMetal::api)
