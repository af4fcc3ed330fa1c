#pragma once

// Zones for the Tracy profiler, which is not built in: every macro expands to nothing, as Tracy's
// own do without TRACY_ENABLE.
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
#define ZoneTransient(...)
#define ZoneTransientN(...)
#define ZoneTextF(...)
#define ZoneNameF(...)
#define ZoneNamedS(...)
#define ZoneNamedNS(...)
#define ZoneScopedNS(...)
#define ZoneScopedCS(...)
#define ZoneScopedNCS(...)
#define ZoneIsActive false
#define TracyMessageS(...)
#define TracyPlotConfig(...)
#define TracyAppInfo(...)
#define TracySetProgramName(...)
#define TracySharedLockable(type, name) type name
#define SharedLockableBase(type) type
#define TracyFrameImage(...)
#define FrameImage(...)
#define TracyParameterRegister(...)
#define TracySecureAlloc(...)
#define TracySecureFree(...)
#define TracyNoop
#define TracyIsConnected false
