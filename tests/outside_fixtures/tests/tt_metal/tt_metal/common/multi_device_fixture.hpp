#pragma once

#include <optional>
#include <tt-metalium/cluster.hpp>
#include <tt-metalium/experimental/fabric/fabric.hpp>
#include <tt-metalium/mesh_device.hpp>
#include <tt-metalium/system_mesh.hpp>

#include "mesh_dispatch_fixture.hpp"

namespace tt::tt_metal {

// Two devices with Ethernet wires between them, and slow dispatch.
class TwoMeshDeviceFixture : public MeshDispatchFixture {
 protected:
  void SetUp() override {
    DetectDispatchMode();
    if (GetNumAvailableDevices() < 2) GTEST_SKIP() << "There is one device";
    open_devices(2);
  }

 private:
  DispatchMode mode_{/*slow=*/true};
};

// The same with fast dispatch.
class N300MeshDeviceFixture : public TwoMeshDeviceFixture {
 private:
  DispatchMode mode_{/*slow=*/false};
};

class TwoDeviceBlackholeFixture : public N300MeshDeviceFixture {
 protected:
  void SetUp() override {
    DetectDispatchMode();
    if (arch_ != tt::ARCH::BLACKHOLE) GTEST_SKIP() << "The devices are not Blackhole's";
    TwoMeshDeviceFixture::SetUp();
  }
};

// One mesh of several devices. A test is skipped if the host has too few of them, or other ones, or
// if it needs a fabric.
class MeshDeviceFixtureBase : public ::testing::Test {
 public:
  std::shared_ptr<distributed::MeshDevice> get_mesh_device() {
    TT_FATAL(mesh_device_, "The mesh is not open");
    return mesh_device_;
  }

 protected:
  using MeshDevice = distributed::MeshDevice;
  using MeshDeviceConfig = distributed::MeshDeviceConfig;
  using MeshShape = distributed::MeshShape;

  struct Config {
    std::optional<distributed::MeshShape> mesh_shape;  // default: all devices
    std::optional<distributed::MeshCoordinate> mesh_offset;
    std::optional<tt::ARCH> arch;
    int num_cqs = 1;
    uint32_t l1_small_size = DEFAULT_L1_SMALL_SIZE;
    uint32_t trace_region_size = DEFAULT_TRACE_REGION_SIZE;
    uint32_t worker_l1_size = DEFAULT_WORKER_L1_SIZE;
    tt_fabric::FabricConfig fabric_config = tt_fabric::FabricConfig::DISABLED;
  };

  explicit MeshDeviceFixtureBase(const Config& config) : config_(config) {}

  void SetUp() override {
    const MeshShape& all = distributed::SystemMesh::instance().shape();
    const MeshShape shape = config_.mesh_shape.value_or(all);
    if (config_.arch.value_or(hal.get_arch()) != hal.get_arch()) {
      GTEST_SKIP() << "The devices are of another architecture";
    }
    if (shape.mesh_size() > all.mesh_size()) GTEST_SKIP() << "There are too few devices";
    if (config_.fabric_config != tt_fabric::FabricConfig::DISABLED) {
      GTEST_SKIP() << "There is no fabric";
    }
    mesh_device_ =
        MeshDevice::create(MeshDeviceConfig(shape, config_.mesh_offset), config_.l1_small_size,
                           config_.trace_region_size, config_.num_cqs, DispatchCoreConfig{}, {},
                           config_.worker_l1_size);
  }
  void TearDown() override {
    if (mesh_device_) mesh_device_->close();
    mesh_device_.reset();
  }

  std::shared_ptr<distributed::MeshDevice> mesh_device_;

 private:
  Config config_;
};

class GenericMeshDeviceFixture : public MeshDeviceFixtureBase {
 protected:
  GenericMeshDeviceFixture() : MeshDeviceFixtureBase(Config{}) {}
};

class GenericMultiCQMeshDeviceFixture : public MeshDeviceFixtureBase {
 protected:
  GenericMultiCQMeshDeviceFixture() : MeshDeviceFixtureBase(Config{.num_cqs = 2}) {}
};

class MeshDevice2x4Fixture : public MeshDeviceFixtureBase {
 protected:
  MeshDevice2x4Fixture() : MeshDeviceFixtureBase(Config{.mesh_shape = MeshShape{2, 4}}) {}
};

class MeshDevice4x8Fixture : public MeshDeviceFixtureBase {
 protected:
  MeshDevice4x8Fixture() : MeshDeviceFixtureBase(Config{.mesh_shape = MeshShape{4, 8}}) {}
};

class MultiCQMeshDevice2x4Fixture : public MeshDeviceFixtureBase {
 protected:
  MultiCQMeshDevice2x4Fixture()
      : MeshDeviceFixtureBase(Config{.mesh_shape = MeshShape{2, 4}, .num_cqs = 2}) {}
};

class MeshDevice2x4Fabric1DFixture : public MeshDeviceFixtureBase {
 protected:
  MeshDevice2x4Fabric1DFixture()
      : MeshDeviceFixtureBase(Config{.mesh_shape = MeshShape{2, 4},
                                     .fabric_config = tt_fabric::FabricConfig::FABRIC_1D}) {}
};

class GenericMeshDeviceFabric2DFixture : public MeshDeviceFixtureBase {
 protected:
  GenericMeshDeviceFabric2DFixture()
      : MeshDeviceFixtureBase(Config{.fabric_config = tt_fabric::FabricConfig::FABRIC_2D}) {}
};

class MeshDevice2x4Fabric2DFixture : public MeshDeviceFixtureBase {
 protected:
  MeshDevice2x4Fabric2DFixture()
      : MeshDeviceFixtureBase(Config{.mesh_shape = MeshShape{2, 4},
                                     .fabric_config = tt_fabric::FabricConfig::FABRIC_2D}) {}
};

}  // namespace tt::tt_metal
