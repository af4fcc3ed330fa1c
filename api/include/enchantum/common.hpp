#pragma once

#include <enchantum/enchantum.hpp>  // IWYU pragma: export
