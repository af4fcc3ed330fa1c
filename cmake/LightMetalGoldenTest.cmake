# lightmetal_add_golden_test(NAME FILE [ALLOW_NO_GOLDENS] [DEVICE BACKEND] [GOLDEN POLICY...] [TIMEOUT SECONDS] [OPTIONS OPTION...])
#
# A CTest test that replays FILE and fails where something that is read differs from its golden. A relative FILE lies in the current
# source folder. DEVICE, GOLDEN and OPTIONS are options of `lightmetal_runner run`; TIMEOUT, 600 when it is not given, ends a replay
# that takes longer and names what it was at. A FILE without goldens fails unless ALLOW_NO_GOLDENS is given. What each golden came to is in
# NAME.golden.json in the current binary folder.
function(lightmetal_add_golden_test name file)
  cmake_parse_arguments(PARSE_ARGV 2 arg "ALLOW_NO_GOLDENS" "DEVICE;TIMEOUT" "GOLDEN;OPTIONS")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "lightmetal_add_golden_test(${name}): \"${arg_UNPARSED_ARGUMENTS}\" is none of ALLOW_NO_GOLDENS, DEVICE, GOLDEN, TIMEOUT and OPTIONS")
  endif()
  if(NOT DEFINED arg_TIMEOUT)
    set(arg_TIMEOUT 600)
  endif()
  get_filename_component(file ${file} ABSOLUTE)
  set(options --watchdog ${arg_TIMEOUT} --report json=${CMAKE_CURRENT_BINARY_DIR}/${name}.golden.json)
  if(NOT arg_ALLOW_NO_GOLDENS)
    list(APPEND options --require-goldens)
  endif()
  if(DEFINED arg_DEVICE)
    list(APPEND options --device ${arg_DEVICE})
  endif()
  foreach(policy IN LISTS arg_GOLDEN)
    list(APPEND options --golden ${policy})
  endforeach()
  add_test(NAME ${name} COMMAND LightMetal::lightmetal_runner run ${file} ${options} ${arg_OPTIONS})
endfunction()
