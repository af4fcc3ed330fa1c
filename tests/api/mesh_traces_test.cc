// Device traces of meshes of several devices: their ids, and devices that differ.
#include <tt-metalium/distributed.hpp>
#include <tt-metalium/mesh_trace.hpp>

#include "tests/support/api_test_kit.h"

namespace tt::tt_metal::testing {
namespace {

namespace mesh = distributed;
using mesh::MeshCoordinate;
using mesh::MeshCoordinateRange;
using mesh::MeshShape;
using mesh::MeshTraceId;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr CoreCoord kTracedCore{0, 0};

class MeshTracesTest : public WatchedTest {
 protected:
  mesh::MeshDevice& pair() {
    if (mesh_ == nullptr) {
      mesh_ = mesh::MeshDevice::create(mesh::MeshDeviceConfig(MeshShape(1, 2)), 0, 0, 2);
    }
    return *mesh_;
  }
  mesh::MeshCommandQueue& queue() { return pair().mesh_command_queue(0); }
  // A workload on both devices that has been launched, so that traces take it.
  mesh::MeshWorkload& workload() {
    if (workload_ == nullptr) {
      Program program = CreateProgram();
      add_kernel(program, kTracedCore);
      workload_ = std::make_unique<mesh::MeshWorkload>();
      workload_->add_program(MeshCoordinateRange(pair().shape()), std::move(program));
      queue().enqueue_mesh_workload(*workload_, true);
      watched().forget_launches();
    }
    return *workload_;
  }
  // An id that no trace has, and that has not been given.
  static MeshTraceId unused_id() { return MeshTraceId(*mesh::MeshTrace::next_id() + 1); }

  std::shared_ptr<mesh::MeshDevice> mesh_;
  std::unique_ptr<mesh::MeshWorkload> workload_;
};

TEST_F(MeshTracesTest, AnIdThatTheProgramGaveIsNotGivenAgain) {
  const MeshTraceId given = unused_id();
  workload();
  pair().begin_mesh_trace(0, given);
  EXPECT_NE(*pair().begin_mesh_trace(1), *given);
  queue().enqueue_mesh_workload(workload(), false);
  pair().end_mesh_trace(0, given);
  const MeshTraceId other = pair().begin_mesh_trace(0);
  EXPECT_NE(*other, *given);
  queue().enqueue_mesh_workload(workload(), false);
  pair().end_mesh_trace(0, other);
  pair().replay_mesh_trace(0, given, true);
  pair().replay_mesh_trace(0, other, true);
  EXPECT_THAT(watched().launches(), SizeIs(4));
}

TEST_F(MeshTracesTest, AnIdIsGivenOnceToProgramsThatAskForIt) {
  const MeshTraceId id = mesh::MeshTrace::next_id();
  EXPECT_NE(*mesh::MeshTrace::next_id(), *id);
  pair().begin_mesh_trace(0, id);
  pair().end_mesh_trace(0, id);
  EXPECT_NE(*pair().begin_mesh_trace(0), *id);
}

TEST_F(MeshTracesTest, AnIdThatIsATraceIsRefusedBeforeTheCapture) {
  const MeshTraceId taken = pair().begin_mesh_trace(0);
  expect_throws([&] { pair().begin_mesh_trace(1, taken); }, "already");
  pair().end_mesh_trace(0, taken);
  expect_throws([&] { pair().begin_mesh_trace(0, taken); }, "has a trace", "already");
  EXPECT_EQ(queue().trace_id(), std::nullopt);
}

TEST_F(MeshTracesTest, ATraceThatDoesNotEndOnOneDeviceIsOnNone) {
  const MeshTraceId id = pair().begin_mesh_trace(0);
  EndTraceCapture(pair().get_device(1), 0, *id);
  expect_throws([&] { pair().end_mesh_trace(0, id); }, "does not capture trace");
  EXPECT_EQ(pair().get_device(0)->get_trace(*id), nullptr);
  EXPECT_NE(pair().get_device(1)->get_trace(*id), nullptr) << "the program's own";
  EXPECT_EQ(queue().trace_id(), std::nullopt);
}

TEST_F(MeshTracesTest, ATraceThatOneDeviceLacksIsLaunchedOnNone) {
  workload();
  const MeshTraceId id = pair().begin_mesh_trace(0);
  queue().enqueue_mesh_workload(workload(), false);
  pair().end_mesh_trace(0, id);
  ReleaseTrace(pair().get_device(1), *id);
  expect_throws([&] { pair().replay_mesh_trace(0, id, true); }, "race");
  expect_throws([&] { queue().enqueue_trace(id, true); }, "race");
  mesh::Finish(queue());
  EXPECT_THAT(watched().launches(), IsEmpty());
}

TEST(MeshTraces, ANullPointerIsNoMesh) {
  const MeshTraceId id(0);
  expect_throws([] { mesh::BeginTraceCapture(nullptr, 0); }, "The device is a null pointer");
  expect_throws([&] { mesh::EndTraceCapture(nullptr, 0, id); }, "The device is a null pointer");
  expect_throws([&] { mesh::ReplayTrace(nullptr, 0, id, true); }, "The device is a null pointer");
  expect_throws([&] { mesh::ReleaseTrace(nullptr, id); }, "The device is a null pointer");
}

}  // namespace
}  // namespace tt::tt_metal::testing
