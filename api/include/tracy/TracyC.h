#pragma once

// The macros of C programs for the Tracy profiler, which is not built in: every macro expands to
// nothing, as Tracy's own do without TRACY_ENABLE.
#define TracyCZone(...)
#define TracyCZoneN(...)
#define TracyCZoneC(...)
#define TracyCZoneNC(...)
#define TracyCZoneEnd(...)
#define TracyCZoneText(...)
#define TracyCZoneName(...)
#define TracyCZoneColor(...)
#define TracyCZoneValue(...)
#define TracyCFrameMark
#define TracyCFrameMarkNamed(...)
#define TracyCFrameMarkStart(...)
#define TracyCFrameMarkEnd(...)
#define TracyCMessage(...)
#define TracyCMessageL(...)
#define TracyCMessageC(...)
#define TracyCPlot(...)
#define TracyCAlloc(...)
#define TracyCFree(...)
