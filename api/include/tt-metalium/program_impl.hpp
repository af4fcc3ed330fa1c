#pragma once

// Programs are declared in one header here; this one is for programs that include upstream's.
#include <tt-metalium/program.hpp>
