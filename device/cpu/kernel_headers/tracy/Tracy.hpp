#pragma once

// The zones of a profiler of host programs. In a kernel they are nothing, as without the profiler.
#define ZoneNamed(...)
#define ZoneNamedC(...)
#define ZoneNamedN(...)
#define ZoneNamedNC(...)
#define ZoneScoped
#define ZoneScopedC(...)
#define ZoneScopedN(...)
#define ZoneScopedNC(...)
#define ZoneScopedS(...)
#define ZoneText(...)
#define ZoneTextV(...)
#define ZoneName(...)
#define ZoneNameV(...)
#define ZoneColor(...)
#define ZoneValue(...)
#define FrameMark
#define FrameMarkNamed(...)
#define FrameMarkStart(...)
#define FrameMarkEnd(...)
#define TracyMessage(...)
#define TracyMessageL(...)
#define TracyMessageC(...)
#define TracyMessageLC(...)
#define TracyPlot(...)
#define TracyAlloc(...)
#define TracyAllocN(...)
#define TracyFree(...)
#define TracyFreeN(...)
#define TracyLockable(type, name) type name
#define TracyLockableN(type, name, description) type name
#define LockableBase(type) type
#define LockMark(...)
