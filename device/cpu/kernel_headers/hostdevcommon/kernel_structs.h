#pragma once

#include "lightmetal/formats.h"  // tt::CB, tt::CBIndex
