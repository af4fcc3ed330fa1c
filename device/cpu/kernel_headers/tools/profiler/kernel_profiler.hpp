#pragma once

// Zones for the hardware's profiler.
#define DeviceZoneScopedN(name)
#define DeviceZoneScopedMainN(name)
#define DeviceZoneScopedMainChildN(name)
#define DeviceZoneScopedSumN1(name)
#define DeviceZoneScopedSumN2(name)
#define DeviceTimestampedData(name, data)
#define DeviceRecordEvent(event)
