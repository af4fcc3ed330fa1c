#pragma once

// What most tests begin with, compiled once for all of them. Each source includes what it uses all
// the same.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <lightmetal/capture.hpp>
#include <lightmetal/replay.hpp>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <tt-metalium/distributed.hpp>
#include <tt-metalium/host_api.hpp>
#include <tt-metalium/tt_metal.hpp>
#include <vector>

#include "device/device.h"
#include "schema/commands/encode.h"
#include "schema/file/reader.h"
#include "schema/file/writer.h"
#include "schema/storage/memory_sink.h"
#include "schema/verify/verify.h"
