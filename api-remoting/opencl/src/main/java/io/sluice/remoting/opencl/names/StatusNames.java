package io.sluice.remoting.opencl.names;

import java.util.List;

/** The names of OpenCL's error codes; CL/cl.h. */
public final class StatusNames {
  /** From -1 down. */
  private static final List<String> FAILURES =
      List.of(
          "DEVICE_NOT_FOUND",
          "DEVICE_NOT_AVAILABLE",
          "COMPILER_NOT_AVAILABLE",
          "MEM_OBJECT_ALLOCATION_FAILURE",
          "OUT_OF_RESOURCES",
          "OUT_OF_HOST_MEMORY",
          "PROFILING_INFO_NOT_AVAILABLE",
          "MEM_COPY_OVERLAP",
          "IMAGE_FORMAT_MISMATCH",
          "IMAGE_FORMAT_NOT_SUPPORTED",
          "BUILD_PROGRAM_FAILURE",
          "MAP_FAILURE",
          "MISALIGNED_SUB_BUFFER_OFFSET",
          "EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST",
          "COMPILE_PROGRAM_FAILURE",
          "LINKER_NOT_AVAILABLE",
          "LINK_PROGRAM_FAILURE",
          "DEVICE_PARTITION_FAILED",
          "KERNEL_ARG_INFO_NOT_AVAILABLE");

  /** What an argument is that is not valid, from -30 down. */
  private static final List<String> INVALID =
      List.of(
          "VALUE",
          "DEVICE_TYPE",
          "PLATFORM",
          "DEVICE",
          "CONTEXT",
          "QUEUE_PROPERTIES",
          "COMMAND_QUEUE",
          "HOST_PTR",
          "MEM_OBJECT",
          "IMAGE_FORMAT_DESCRIPTOR",
          "IMAGE_SIZE",
          "SAMPLER",
          "BINARY",
          "BUILD_OPTIONS",
          "PROGRAM",
          "PROGRAM_EXECUTABLE",
          "KERNEL_NAME",
          "KERNEL_DEFINITION",
          "KERNEL",
          "ARG_INDEX",
          "ARG_VALUE",
          "ARG_SIZE",
          "KERNEL_ARGS",
          "WORK_DIMENSION",
          "WORK_GROUP_SIZE",
          "WORK_ITEM_SIZE",
          "GLOBAL_OFFSET",
          "EVENT_WAIT_LIST",
          "EVENT",
          "OPERATION",
          "GL_OBJECT",
          "BUFFER_SIZE",
          "MIP_LEVEL",
          "GLOBAL_WORK_SIZE",
          "PROPERTY",
          "IMAGE_DESCRIPTOR",
          "COMPILER_OPTIONS",
          "LINKER_OPTIONS",
          "DEVICE_PARTITION_COUNT",
          "PIPE_SIZE",
          "DEVICE_QUEUE",
          "SPEC_ID");

  private static final int FIRST_INVALID = -30;
  private static final int MAX_SIZE_RESTRICTION_EXCEEDED = -72;

  private StatusNames() {}

  /** A code's name; a word with the number for one that the header does not have. */
  public static String of(int status) {
    int failure = -1 - status;
    int invalid = FIRST_INVALID - status;
    if (failure >= 0 && failure < FAILURES.size()) {
      return "CL_" + FAILURES.get(failure);
    }
    if (invalid >= 0 && invalid < INVALID.size()) {
      return "CL_INVALID_" + INVALID.get(invalid);
    }
    return status == MAX_SIZE_RESTRICTION_EXCEEDED
        ? "CL_MAX_SIZE_RESTRICTION_EXCEEDED"
        : "status " + status;
  }
}
