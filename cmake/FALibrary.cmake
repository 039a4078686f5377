# fa_library(NAME sources... [DEPENDS targets...])
# One OBJECT library per folder. All of them together are the static archive FA, which tools and the
# C API link beside MLIR; the plugin takes the same objects and links nothing of MLIR (its host has it).
function(fa_library name)
  cmake_parse_arguments(ARG "" "" "DEPENDS" ${ARGN})
  add_library(${name} OBJECT ${ARG_UNPARSED_ARGUMENTS})
  add_dependencies(${name} FATableGen ${ARG_DEPENDS})
  if(FA_PRECOMPILE)
    target_precompile_headers(${name} REUSE_FROM FAPrecompiled)
  endif()
  set_property(GLOBAL APPEND PROPERTY FA_OBJECT_LIBRARIES ${name})
endfunction()

# The static archives of MLIR and the LLVM components that we use. Called once: it edits imported targets.
function(fa_find_static_mlir result)
  foreach(kind DIALECT CONVERSION EXTENSION TRANSLATION)
    get_property(libraries GLOBAL PROPERTY MLIR_${kind}_LIBS)
    list(APPEND mlir ${libraries})
  endforeach()
  list(APPEND mlir MLIRRegisterAllDialects MLIRRegisterAllExtensions MLIRRegisterAllPasses
       MLIROptLib MLIRExecutionEngine MLIRExecutionEngineUtils MLIRTargetLLVM MLIRNVVMTarget)
  list(FILTER mlir EXCLUDE REGEX "Test")
  # The imported targets name the shared libraries; linking one beside the archives would load LLVM twice.
  get_property(all GLOBAL PROPERTY MLIR_ALL_LIBS)
  foreach(library IN LISTS mlir all)
    if(TARGET ${library})
      get_target_property(needs ${library} INTERFACE_LINK_LIBRARIES)
      if(needs)
        list(FILTER needs EXCLUDE REGEX "^(\\$<LINK_ONLY:)?(LLVM|MLIR)>?$")
        set_target_properties(${library} PROPERTIES INTERFACE_LINK_LIBRARIES "${needs}")
      endif()
    endif()
  endforeach()
  # Compression from archives too; Z3 is only asked for by a solver that nothing here uses.
  find_library(FA_ZLIB NAMES libz.a REQUIRED)
  find_library(FA_ZSTD NAMES libzstd.a REQUIRED)
  get_target_property(needs LLVMSupport INTERFACE_LINK_LIBRARIES)
  list(FILTER needs EXCLUDE REGEX "(Z3|z3|ZLIB|zstd)")
  set_target_properties(LLVMSupport PROPERTIES INTERFACE_LINK_LIBRARIES "${needs};${FA_ZLIB};${FA_ZSTD}")
  llvm_map_components_to_libnames(llvm core support native orcjit perfjitevents passes target analysis
                                  irreader linker ipo bitreader bitwriter asmparser)
  set(${result} ${mlir} ${llvm} LLVMNVPTXCodeGen LLVMNVPTXDesc LLVMNVPTXInfo PARENT_SCOPE)
endfunction()

if(FA_STATIC)
  fa_find_static_mlir(FA_STATIC_MLIR)
endif()

# Links a target against MLIR: the distribution's shared library, or with FA_STATIC archives only (the C++
# runtime too), without what is not used and without symbols.
function(fa_link_mlir target)
  if(FA_STATIC)
    target_link_libraries(${target} PRIVATE ${FA_STATIC_MLIR})
    target_link_options(${target} PRIVATE
      -static-libstdc++ -static-libgcc -Wl,--gc-sections -Wl,--as-needed -Wl,-s)
    set_target_properties(${target} PROPERTIES SKIP_BUILD_RPATH ON)
  else()
    target_link_libraries(${target} PRIVATE MLIR LLVM)
  endif()
endfunction()

# fa_tool(NAME sources...): an executable over all of FA and MLIR. The tests depend on it.
function(fa_tool name)
  add_executable(${name} ${ARGN})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
  target_link_libraries(${name} PRIVATE FA)
  fa_link_mlir(${name})
  set_property(GLOBAL APPEND PROPERTY FA_TOOLS ${name})
endfunction()

# One precompiled header for all of FA. Without a time stamp in it, ccache can tell that it did not change.
if(FA_PRECOMPILE)
  file(WRITE ${PROJECT_BINARY_DIR}/precompiled.cpp "// Only carries the precompiled header.\n")
  add_library(FAPrecompiled OBJECT ${PROJECT_BINARY_DIR}/precompiled.cpp)
  target_precompile_headers(FAPrecompiled PRIVATE ${PROJECT_SOURCE_DIR}/cmake/precompiled.h)
endif()
