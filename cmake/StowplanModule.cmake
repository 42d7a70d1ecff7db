# SPDX-License-Identifier: Apache-2.0
# One module: the library stowplan_NAME (alias stowplan::NAME) from SOURCES,
# and, for developers, the test stowplan_NAME_test from TESTS.
#
#   stowplan_module(plan
#     SOURCES plan.cc ...
#     DEPS stowplan::base          # what its headers and sources include
#     TESTS plan_test.cc ...
#     TEST_DEPS stowplan::testing) # what its tests include besides
#
# SMALL: its code runs once for a model, so that a program's size counts more
# than its speed.
function(stowplan_module name)
  cmake_parse_arguments(ARG "SMALL" "" "SOURCES;DEPS;TESTS;TEST_DEPS" ${ARGN})
  set(target stowplan_${name})
  if(ARG_SOURCES)
    add_library(${target} STATIC ${ARG_SOURCES})
    set(scope PUBLIC)
    stowplan_warnings(${target})
    if(ARG_SMALL)
      stowplan_small(${target})
    endif()
  else()
    add_library(${target} INTERFACE)
    set(scope INTERFACE)
  endif()
  add_library(stowplan::${name} ALIAS ${target})
  target_include_directories(${target} ${scope} "${PROJECT_SOURCE_DIR}")
  target_link_libraries(${target} ${scope} ${ARG_DEPS})
  if(STOWPLAN_DEVELOPER AND ARG_TESTS)
    stowplan_test(${target}_test SOURCES ${ARG_TESTS}
                  DEPS stowplan::${name} ${ARG_TEST_DEPS})
  endif()
endfunction()

# A GoogleTest binary whose cases are registered one by one with ctest.
function(stowplan_test target)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS" ${ARGN})
  add_executable(${target} ${ARG_SOURCES})
  stowplan_warnings(${target})
  target_link_libraries(${target} PRIVATE ${ARG_DEPS} GTest::gtest_main
                                          rapidcheck)
  include(GoogleTest)
  # Properties run from a fixed seed here, so that a run can be repeated; by
  # hand each run tries others.
  gtest_discover_tests(${target} DISCOVERY_TIMEOUT 60
                       PROPERTIES TIMEOUT 600 ENVIRONMENT "RC_PARAMS=seed=1")
endfunction()

# The pages of a program count as memory like any others.
function(stowplan_small target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-Os>)
endfunction()

function(stowplan_warnings target)
  if(STOWPLAN_DEVELOPER)
    target_compile_options(
      ${target} PRIVATE -Wall -Wextra -Wconversion -Wshadow -Werror
      # GCC 12 sees overlapping copies inside its own operator+ (bug 105651).
      $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)
  endif()
endfunction()
