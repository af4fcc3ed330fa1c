# Takes the bodies of the object API out of a header that flatc made, as else each source that knows a command compiles them all:
#   cmake -D HEADER=NAME_generated.h -P out_of_line.cmake
# leaves the header without them, and NAME_generated.cc beside it.
string(REGEX REPLACE "[.]h$" ".cc" source ${HEADER})
file(READ ${HEADER} text)
# What the object API declares first and defines behind its classes: their members, what makes a table of an object, what compares two.
set(head "[^\n]*(T::[A-Za-z]+T[(]|T::operator=|::UnPack|::Pack[(]|Union::|T [*]_o, |operator[!=]=[(]const [A-Za-z]+T )[^\n]*{")
set(body "(( [^\n]*)?\n)*}")
string(REGEX REPLACE "\ninline ${head}\n${body}\n" "\n" declarations "${text}")
string(REGEX REPLACE "\ninline (${head}\n)" "\n\\1" definitions "${text}")
file(WRITE ${HEADER} "${declarations}")
file(WRITE ${source} "${definitions}")
