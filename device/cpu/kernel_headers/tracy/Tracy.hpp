#pragma once

// The zones of a profiler of host programs. In a kernel they are nothing, as without the profiler.
#define ZoneScoped
#define ZoneScopedN(name)
#define ZoneScopedC(color)
#define ZoneScopedNC(name, color)
#define ZoneText(text, size)
#define ZoneName(text, size)
#define FrameMark
#define TracyMessageL(text)
