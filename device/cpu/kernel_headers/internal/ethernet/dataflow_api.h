#pragma once

#include "ethernet/dataflow_api.h"
