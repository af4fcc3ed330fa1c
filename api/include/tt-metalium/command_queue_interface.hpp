#pragma once

// The queue's interface is in one header here; this one is for programs that include upstream's.
#include <tt-metalium/command_queue.hpp>
