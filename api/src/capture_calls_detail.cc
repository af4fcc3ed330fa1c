#include "api/src/capture_calls.h"
#include "api/src/capture_objects.h"

namespace tt::tt_metal::capture_calls {

using namespace lightmetal::capture;

void compile_program(const IDevice& device, const Program& program) {
  record<schema::CompileProgram>([&](Encoder& encoder) {
    return schema::CreateCompileProgram(encoder.builder(), use(encoder, device),
                                        use(encoder, program));
  });
}

void configure_device_with_program(const IDevice& device, const Program& program) {
  record<schema::ConfigureDeviceWithProgram>([&](Encoder& encoder) {
    return schema::CreateConfigureDeviceWithProgram(encoder.builder(), use(encoder, device),
                                                    use(encoder, program));
  });
}

void write_runtime_args_to_device(const IDevice& device, const Program& program) {
  record<schema::WriteRuntimeArgsToDevice>([&](Encoder& encoder) {
    return schema::CreateWriteRuntimeArgsToDevice(encoder.builder(), use(encoder, device),
                                                  use(encoder, program));
  });
}

void launch_program(const IDevice& device, const Program& program, bool wait_until_cores_done) {
  record<schema::LaunchProgram>([&](Encoder& encoder) {
    return schema::CreateLaunchProgram(encoder.builder(), use(encoder, device),
                                       use(encoder, program), wait_until_cores_done);
  });
}

void wait_program_done(const IDevice& device, const Program& program) {
  record<schema::WaitProgramDone>([&](Encoder& encoder) {
    return schema::CreateWaitProgramDone(encoder.builder(), use(encoder, device),
                                         use(encoder, program));
  });
}

void write_to_buffer(const Buffer& buffer, lightmetal::Bytes data, schema::ElementType type) {
  record<schema::WriteToBuffer>([&](Encoder& encoder) {
    const schema::BlobRef payload = encoder.upload(data);
    return schema::CreateWriteToBuffer(encoder.builder(), use(encoder, buffer), &payload, type);
  });
}

void read_from_buffer(const Buffer& buffer, lightmetal::Bytes data, schema::ElementType type) {
  record<schema::ReadFromBuffer>([&](Encoder& encoder) {
    const Golden golden(encoder, data);
    return schema::CreateReadFromBuffer(encoder.builder(), use(encoder, buffer), golden.get(),
                                        type);
  });
}

void read_shard(const Buffer& buffer, uint32_t shard, lightmetal::Bytes data,
                schema::ElementType type) {
  record<schema::ReadShard>([&](Encoder& encoder) {
    const Golden golden(encoder, data);
    return schema::CreateReadShard(encoder.builder(), use(encoder, buffer), shard, golden.get(),
                                   type);
  });
}

void write_to_device_dram_channel(const IDevice& device, uint32_t channel, uint64_t address,
                                  lightmetal::Bytes data) {
  record<schema::WriteToDeviceDRAMChannel>([&](Encoder& encoder) {
    const schema::BlobRef payload = encoder.upload(data);
    return schema::CreateWriteToDeviceDRAMChannel(encoder.builder(), use(encoder, device), channel,
                                                  address, &payload);
  });
}

void read_from_device_dram_channel(const IDevice& device, uint32_t channel, uint64_t address,
                                   lightmetal::Bytes data) {
  record<schema::ReadFromDeviceDRAMChannel>([&](Encoder& encoder) {
    const Golden golden(encoder, data);
    return schema::CreateReadFromDeviceDRAMChannel(encoder.builder(), use(encoder, device), channel,
                                                   address, data.size(), golden.get());
  });
}

void write_to_device_l1(const IDevice& device, const CoreCoord& core, uint64_t address,
                        lightmetal::Bytes data) {
  record<schema::WriteToDeviceL1>([&](Encoder& encoder) {
    const schema::BlobRef payload = encoder.upload(data);
    const schema::CoreCoord on_core = coord(core);
    return schema::CreateWriteToDeviceL1(encoder.builder(), use(encoder, device), &on_core, address,
                                         &payload);
  });
}

void read_from_device_l1(const IDevice& device, const CoreCoord& core, uint64_t address,
                         lightmetal::Bytes data) {
  record<schema::ReadFromDeviceL1>([&](Encoder& encoder) {
    const Golden golden(encoder, data);
    const schema::CoreCoord on_core = coord(core);
    return schema::CreateReadFromDeviceL1(encoder.builder(), use(encoder, device), &on_core,
                                          address, data.size(), golden.get());
  });
}

void write_to_ethernet_l1(const IDevice& device, const CoreCoord& core, uint64_t address,
                          lightmetal::Bytes data) {
  record<schema::WriteToEthernetL1>([&](Encoder& encoder) {
    const schema::BlobRef payload = encoder.upload(data);
    const schema::CoreCoord on_core = coord(core);
    return schema::CreateWriteToEthernetL1(encoder.builder(), use(encoder, device), &on_core,
                                           address, &payload);
  });
}

void read_from_ethernet_l1(const IDevice& device, const CoreCoord& core, uint64_t address,
                           lightmetal::Bytes data) {
  record<schema::ReadFromEthernetL1>([&](Encoder& encoder) {
    const Golden golden(encoder, data);
    const schema::CoreCoord on_core = coord(core);
    return schema::CreateReadFromEthernetL1(encoder.builder(), use(encoder, device), &on_core,
                                            address, data.size(), golden.get());
  });
}

}  // namespace tt::tt_metal::capture_calls
