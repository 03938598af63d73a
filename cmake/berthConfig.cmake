# find_package(berth): berth::berth is the shared library, berth::berth-static the other one.
include(CMakeFindDependencyMacro)
find_dependency(Threads)
include("${CMAKE_CURRENT_LIST_DIR}/berthTargets.cmake")
