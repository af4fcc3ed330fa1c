#pragma once

// Colours for zones of the Tracy profiler, 0xRRGGBB. There is no profiler here: a few names are
// enough for programs that pass them to macros.
namespace tracy {

struct Color {
  enum ColorType {
    Black = 0x000000,
    Blue = 0x0000ff,
    Brown = 0xa52a2a,
    Cyan = 0x00ffff,
    DarkGreen = 0x006400,
    Gold = 0xffd700,
    Gray = 0xbebebe,
    Green = 0x00ff00,
    Grey = 0xbebebe,
    Magenta = 0xff00ff,
    Orange = 0xffa500,
    Orange2 = 0xee9a00,
    Orange3 = 0xcd8500,
    Pink = 0xffc0cb,
    Purple = 0xa020f0,
    Red = 0xff0000,
    Red1 = 0xff0000,
    Tomato3 = 0xcd4f39,
    White = 0xffffff,
    Yellow = 0xffff00,
  };
};

}  // namespace tracy
