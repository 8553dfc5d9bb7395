# saltus_part(NAME <part> [FUZZED] [DEPENDS <part>...] [PRIVATE_LIBS <library>...])
#
# One part of the library: the object library saltus_<part> (inside the build also
# saltus::<part>) made of every source below the current folder, poured into saltus.
# DEPENDS repeats the part's line of layers.toml, restricted to what it needs for building;
# PRIVATE_LIBS are foreign libraries that no public header mentions. FUZZED: a part that reads foreign
# bytes; with SALTUS_FUZZ it tells libFuzzer which branches an input has reached.
#
# The sources are in the variable SALTUS_PART_SOURCES afterwards, for per-file flags.
function(saltus_part)
  cmake_parse_arguments(PARSE_ARGV 0 arg "FUZZED" "NAME" "DEPENDS;PRIVATE_LIBS")
  if(NOT arg_NAME OR arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "saltus_part: NAME is missing or arguments are unknown: "
                        "'${arg_UNPARSED_ARGUMENTS}'")
  endif()

  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.cpp")
  set(SALTUS_PART_SOURCES "${sources}" PARENT_SCOPE)

  set(target saltus_${arg_NAME})
  if(sources)
    add_library(${target} OBJECT ${sources})
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    saltus_in_batches(${target})
    target_include_directories(${target}
      PUBLIC "${PROJECT_SOURCE_DIR}/include"
      PRIVATE "${PROJECT_SOURCE_DIR}/src")
    target_compile_features(${target} PUBLIC cxx_std_20)
    saltus_own_flags(${target})
    if(SALTUS_FUZZ AND arg_FUZZED)
      target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link)
    endif()
    target_sources(saltus PRIVATE $<TARGET_OBJECTS:${target}>)
    target_link_libraries(${target} PRIVATE ${arg_PRIVATE_LIBS})
    set(scope PUBLIC)
  else()
    # A part made of headers only, or one whose first source has not arrived.
    add_library(${target} INTERFACE)
    target_include_directories(${target} INTERFACE "${PROJECT_SOURCE_DIR}/include")
    set(scope INTERFACE)
  endif()
  add_library(saltus::${arg_NAME} ALIAS ${target})

  foreach(part IN LISTS arg_DEPENDS)
    if(NOT TARGET saltus_${part})
      message(FATAL_ERROR "part '${arg_NAME}' depends on '${part}', which is not above it in "
                          "the top CMakeLists.txt")
    endif()
    target_link_libraries(${target} ${scope} saltus_${part})
  endforeach()

  if(arg_PRIVATE_LIBS)
    target_link_libraries(saltus PRIVATE ${arg_PRIVATE_LIBS})
    set_property(GLOBAL APPEND PROPERTY SALTUS_PRIVATE_LIBS ${arg_PRIVATE_LIBS})
  endif()
endfunction()
