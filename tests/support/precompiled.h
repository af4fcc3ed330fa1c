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
#include <tt-metalium/host_api.hpp>
#include <tt-metalium/tt_metal.hpp>
#include <vector>

#include "schema/file/reader.h"
#include "schema/storage/memory_sink.h"
#include "schema/verify/verify.h"
