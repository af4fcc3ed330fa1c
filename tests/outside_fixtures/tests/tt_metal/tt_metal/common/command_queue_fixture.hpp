#pragma once

#include <tt-metalium/experimental/fabric/fabric.hpp>
#include <tt-metalium/tt_backend_api_types.hpp>

#include "mesh_dispatch_fixture.hpp"

namespace tt::tt_metal {

// Devices with fast dispatch, which all fixtures of this header have.
class UnitMeshCQFixture : public MeshDispatchFixture {
 private:
  DispatchMode mode_{/*slow=*/false};
};
class UnitMeshCQEventFixture : public UnitMeshCQFixture {};
class UnitMeshCQProgramFixture : public UnitMeshCQFixture {};

// The test opens its devices, when it knows how large its traces are.
class UnitMeshCQTraceFixture : public UnitMeshCQFixture {
 protected:
  void SetUp() override { DetectDispatchMode(); }
  void CreateDevices(std::size_t trace_region_size) { open_devices(1, 1, trace_region_size); }
};

class UnitMeshCQSingleCardFixture : virtual public MeshDispatchFixture {
 private:
  DispatchMode mode_{/*slow=*/false};
};
class UnitMeshCQSingleCardProgramFixture : virtual public UnitMeshCQSingleCardFixture {};
class UnitMeshCQSingleCardTraceFixture : virtual public UnitMeshCQSingleCardFixture {
 protected:
  void SetUp() override {
    DetectDispatchMode();
    open_devices(1, 1, 90'000'000);
  }
};
using UnitMeshCQSingleCardBufferFixture = UnitMeshCQSingleCardFixture;

class UnitMeshCQMultiDeviceFixture : public MeshDispatchFixture {
 protected:
  void SetUp() override {
    DetectDispatchMode();
    if (GetNumAvailableDevices() < 2) GTEST_SKIP() << "There is one device";
    open_devices(2);
  }

 private:
  DispatchMode mode_{/*slow=*/false};
};
class UnitMeshCQMultiDeviceProgramFixture : public UnitMeshCQMultiDeviceFixture {};
class UnitMeshCQMultiDeviceBufferFixture : public UnitMeshCQMultiDeviceFixture {};

// There is no fabric.
class DISABLED_CQMultiDeviceOnFabricFixture
    : public UnitMeshCQMultiDeviceFixture,
      public ::testing::WithParamInterface<tt::tt_fabric::FabricConfig> {
 protected:
  void SetUp() override { GTEST_SKIP() << "There is no fabric"; }
};

}  // namespace tt::tt_metal
