# saltus_own_flags(target): flags for our own sources. Private on purpose: a consumer's
# sources are compiled with the consumer's flags.
function(saltus_own_flags target)
  # A fused multiply-add in one translation unit and not in another would make two tiers of
  # evaluation differ in the last bit.
  target_compile_options(${target} PRIVATE -ffp-contract=off)
  if(SALTUS_DEVELOPER)
    target_compile_options(${target} PRIVATE -Wall -Wextra -Wconversion -Wshadow -Werror)
    # With clang the flags above mean more than with GCC: conversions of sign, and names of other
    # sources of a batch. It also blames callers for std::stable_sort of libstdc++.
    if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
      target_compile_options(${target} PRIVATE -Wno-sign-conversion -Wno-shadow -Wno-unknown-pragmas
                             -Wno-braced-scalar-init -Wno-deprecated-declarations)
    endif()
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
  # GCC says in a macro which sanitizer it compiles for; this clang does not.
  if("address" IN_LIST SALTUS_SANITIZERS)
    add_compile_definitions(__SANITIZE_ADDRESS__)
  elseif("thread" IN_LIST SALTUS_SANITIZERS)
    add_compile_definitions(__SANITIZE_THREAD__)
  endif()
  # ccache cannot reuse what was compiled with a precompiled header that carries a time stamp.
  add_compile_options("SHELL:-Xclang -fno-pch-timestamp")
endif()

# saltus_in_batches(target): with SALTUS_UNITY, several sources are compiled as one. A whole build then
# takes half the time; after a change of one source it takes longer.
function(saltus_in_batches target)
  if(SALTUS_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 10)
  endif()
endfunction()

# mold links a test program in a fraction of the time; consumers choose their own linker.
if(SALTUS_DEVELOPER)
  find_program(SALTUS_MOLD mold)
  mark_as_advanced(SALTUS_MOLD)
  if(SALTUS_MOLD)
    add_link_options(-fuse-ld=mold)
  endif()
endif()
