# saltus_own_flags(target): flags for our own sources. Private on purpose: a consumer's
# sources are compiled with the consumer's flags.
function(saltus_own_flags target)
  # A fused multiply-add in one translation unit and not in another would make two tiers of
  # evaluation differ in the last bit.
  target_compile_options(${target} PRIVATE -ffp-contract=off)
  if(SALTUS_DEVELOPER)
    target_compile_options(${target} PRIVATE -Wall -Wextra -Wconversion -Wshadow -Werror)
  endif()
endfunction()

# clang-tidy has to find the headers that belong to the compiler itself, such as <quadmath.h>;
# searched last, so that clang's own intrinsics stay clang's.
if(CMAKE_CXX_CLANG_TIDY)
  execute_process(COMMAND "${CMAKE_CXX_COMPILER}" -print-file-name=include
                  OUTPUT_VARIABLE saltus_compiler_include OUTPUT_STRIP_TRAILING_WHITESPACE)
  list(APPEND CMAKE_CXX_CLANG_TIDY "--extra-arg=-idirafter${saltus_compiler_include}")
endif()

# clang has no <quadmath.h> of its own: that of g++, searched last as well.
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  execute_process(COMMAND g++ -print-file-name=include
                  OUTPUT_VARIABLE saltus_gnu_include OUTPUT_STRIP_TRAILING_WHITESPACE)
  add_compile_options("SHELL:-idirafter ${saltus_gnu_include}")
endif()
