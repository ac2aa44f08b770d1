# SPDX-License-Identifier: Apache-2.0
# qb_format_test(): adds a CTest test `format` that checks every source file of the checkout against
# .clang-format. It needs the release of clang-format that formatted the sources, since each formats
# differently. Debian 12 has it; elsewhere `pip install clang-format==14.0.6` installs it.
#
# Run as a script (-P), this file is that test.

if(NOT CMAKE_SCRIPT_MODE_FILE)
  function(qb_format_test)
    add_test(NAME format COMMAND ${CMAKE_COMMAND} -D SOURCE=${PROJECT_SOURCE_DIR}
                                 -P ${PROJECT_SOURCE_DIR}/cmake/CheckFormat.cmake)
    set_tests_properties(format PROPERTIES SKIP_REGULAR_EXPRESSION "format check skipped")
  endfunction()
  return()
endif()

set(release 14)
find_program(clang_format NAMES clang-format-${release} clang-format)
find_program(git git)
if(NOT clang_format OR NOT git)
  message(STATUS "format check skipped: it needs clang-format ${release} and git")
  return()
endif()
execute_process(COMMAND ${clang_format} --version OUTPUT_VARIABLE version
                OUTPUT_STRIP_TRAILING_WHITESPACE)
if(NOT version MATCHES "version ${release}\\.")
  message(STATUS "format check skipped: it needs clang-format ${release}, and this is ${version}")
  return()
endif()
execute_process(COMMAND ${git} ls-files -co --exclude-standard -- *.h *.cpp *.cu *.cuh
                WORKING_DIRECTORY ${SOURCE} OUTPUT_VARIABLE files RESULT_VARIABLE failed
                OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(failed OR NOT files)
  message(STATUS "format check skipped: no git checkout")
  return()
endif()
string(REPLACE "\n" ";" files "${files}")
execute_process(COMMAND ${clang_format} --dry-run -Werror ${files} WORKING_DIRECTORY ${SOURCE}
                RESULT_VARIABLE failed)
if(failed)
  message(FATAL_ERROR "run ${clang_format} -i on the files above")
endif()
foreach(file ${files})
  file(STRINGS ${SOURCE}/${file} head LIMIT_COUNT 1)
  if(NOT head STREQUAL "// SPDX-License-Identifier: Apache-2.0")
    message(FATAL_ERROR "${file} does not begin with // SPDX-License-Identifier: Apache-2.0")
  endif()
endforeach()
