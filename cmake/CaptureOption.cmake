# The option LIGHTMETAL_ENABLE_CAPTURE. Upstream's name, TT_ENABLE_LIGHT_METAL_TRACE, gives it its value and is then forgotten: so a build
# folder has one option, and the last value that it was given counts.
if(DEFINED TT_ENABLE_LIGHT_METAL_TRACE)
  get_property(type CACHE LIGHTMETAL_ENABLE_CAPTURE PROPERTY TYPE)
  if(type STREQUAL "UNINITIALIZED")  # given on the command line of this call, too
    if((LIGHTMETAL_ENABLE_CAPTURE AND NOT TT_ENABLE_LIGHT_METAL_TRACE) OR (TT_ENABLE_LIGHT_METAL_TRACE AND NOT LIGHTMETAL_ENABLE_CAPTURE))
      message(FATAL_ERROR "LIGHTMETAL_ENABLE_CAPTURE is ${LIGHTMETAL_ENABLE_CAPTURE} and TT_ENABLE_LIGHT_METAL_TRACE, "
                          "which names the same option, is ${TT_ENABLE_LIGHT_METAL_TRACE}: give one of them")
    endif()
  endif()
  set(LIGHTMETAL_ENABLE_CAPTURE ${TT_ENABLE_LIGHT_METAL_TRACE} CACHE BOOL "Compile capture into the host API" FORCE)
  unset(TT_ENABLE_LIGHT_METAL_TRACE CACHE)
endif()
option(LIGHTMETAL_ENABLE_CAPTURE "Compile capture into the host API" ON)
