#pragma once

// Some tests include this header of upstream's dispatch and use no name of it.
