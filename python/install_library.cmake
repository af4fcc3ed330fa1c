# Installs `library` as liblightmetal.so into the package, stripped, and what it needs beside it, under the names by which it is needed.
set(package "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/lightmetal")
file(GET_RUNTIME_DEPENDENCIES LIBRARIES ${library} RESOLVED_DEPENDENCIES_VAR needed
     PRE_EXCLUDE_REGEXES "^ld-linux" "^lib(c|m|dl|rt|pthread|gcc_s|stdc[+][+])[.]so")
file(MAKE_DIRECTORY ${package})
file(COPY_FILE ${library} ${package}/liblightmetal.so)
execute_process(COMMAND ${strip} ${package}/liblightmetal.so COMMAND_ERROR_IS_FATAL ANY)
foreach(file IN LISTS needed)
  get_filename_component(name ${file} NAME)
  file(REAL_PATH ${file} real)
  file(COPY_FILE ${real} ${package}/${name})
endforeach()
