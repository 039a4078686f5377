# fa_library(NAME sources... [DEPENDS targets...])
# One OBJECT library per folder. All of them together are the static archive FA, which tools and the
# C API link beside MLIR; the plugin takes the same objects and links nothing of MLIR (its host has it).
function(fa_library name)
  cmake_parse_arguments(ARG "" "" "DEPENDS" ${ARGN})
  add_library(${name} OBJECT ${ARG_UNPARSED_ARGUMENTS})
  add_dependencies(${name} FATableGen ${ARG_DEPENDS})
  set_property(GLOBAL APPEND PROPERTY FA_OBJECT_LIBRARIES ${name})
endfunction()

# Links a target against MLIR: the distribution's shared library, or with FA_STATIC the static
# archives and only the LLVM components that we use.
function(fa_link_mlir target)
  if(NOT FA_STATIC)
    target_link_libraries(${target} PRIVATE MLIR LLVM)
    return()
  endif()
  get_property(dialects GLOBAL PROPERTY MLIR_DIALECT_LIBS)
  get_property(conversions GLOBAL PROPERTY MLIR_CONVERSION_LIBS)
  get_property(extensions GLOBAL PROPERTY MLIR_EXTENSION_LIBS)
  get_property(translations GLOBAL PROPERTY MLIR_TRANSLATION_LIBS)
  set(mlir ${dialects} ${conversions} ${extensions} ${translations}
      MLIROptLib MLIRExecutionEngine MLIRExecutionEngineUtils MLIRTargetLLVM MLIRNVVMTarget)
  # The imported targets name the LLVM shared library; linking it beside static MLIR would load LLVM twice.
  get_property(all GLOBAL PROPERTY MLIR_ALL_LIBS)
  foreach(lib IN LISTS mlir all)
    if(TARGET ${lib})
      get_target_property(deps ${lib} INTERFACE_LINK_LIBRARIES)
      if(deps)
        list(REMOVE_ITEM deps LLVM)
        list(TRANSFORM deps REPLACE "^\\$<LINK_ONLY:LLVM>$" "")
        set_target_properties(${lib} PROPERTIES INTERFACE_LINK_LIBRARIES "${deps}")
      endif()
    endif()
  endforeach()
  llvm_map_components_to_libnames(llvm core support native nvptx orcjit passes target analysis
                                  irreader linker ipo bitreader bitwriter asmparser)
  target_link_libraries(${target} PRIVATE ${mlir} ${llvm})
endfunction()

# fa_tool(NAME sources...): an executable over all of FA and MLIR. The tests depend on it.
function(fa_tool name)
  add_executable(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE FA)
  fa_link_mlir(${name})
  set_property(GLOBAL APPEND PROPERTY FA_TOOLS ${name})
endfunction()
