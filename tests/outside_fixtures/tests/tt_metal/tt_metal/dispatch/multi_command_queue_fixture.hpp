#pragma once

#include <tt-metalium/experimental/fabric/fabric.hpp>
#include <tt-metalium/tt_backend_api_types.hpp>

#include "mesh_dispatch_fixture.hpp"

namespace tt::tt_metal {

// One device with two command queues.
class UnitMeshMultiCQSingleDeviceFixture : public MeshDispatchFixture {
 protected:
  void SetUp() override {
    DetectDispatchMode();
    create_device(0);
  }
  void TearDown() override {
    device_.reset();
    close_devices();
  }

  void create_device(int /*id*/, std::size_t trace_region_size = DEFAULT_TRACE_REGION_SIZE) {
    open_devices(1, num_cqs_, trace_region_size);
    device_ = devices_.front();
  }
  DispatchCoreType get_dispatch_core_type() { return DispatchCoreType::WORKER; }

  Device device_;
  uint8_t num_cqs_ = 2;
};
class UnitMeshMultiCQSingleDeviceProgramFixture : public UnitMeshMultiCQSingleDeviceFixture {};
class UnitMeshMultiCQSingleDeviceBufferFixture : public UnitMeshMultiCQSingleDeviceFixture {};
class UnitMeshMultiCQSingleDeviceEventFixture : public UnitMeshMultiCQSingleDeviceFixture {};

// The test opens its device, when it knows how large its traces are.
class UnitMeshMultiCQSingleDeviceTraceFixture : public UnitMeshMultiCQSingleDeviceFixture {
 protected:
  void SetUp() override { DetectDispatchMode(); }
  void CreateDevice(std::size_t trace_region_size = DEFAULT_TRACE_REGION_SIZE) {
    create_device(0, trace_region_size);
  }
};

// Two devices with two command queues each.
class UnitMeshMultiCQMultiDeviceFixture : public MeshDispatchFixture {
 protected:
  void SetUp() override {
    DetectDispatchMode();
    open_devices(2, 2);
  }
};
class UnitMeshMultiCQMultiDeviceBufferFixture : public UnitMeshMultiCQMultiDeviceFixture {};
class UnitMeshMultiCQMultiDeviceEventFixture : public UnitMeshMultiCQMultiDeviceFixture {};

class DISABLED_UnitMeshMultiCQMultiDeviceOnFabricFixture
    : public UnitMeshMultiCQMultiDeviceFixture,
      public ::testing::WithParamInterface<tt::tt_fabric::FabricConfig> {
 protected:
  void SetUp() override { GTEST_SKIP() << "There is no fabric"; }
};

}  // namespace tt::tt_metal
