package io.sluice.remoting.opencl;

import java.util.Set;

/** The parameters of queries that the session host knows by name; CL/cl.h. */
final class ClParam {
  static final int CONTEXT_PLATFORM = 0x1084;
  static final int PLATFORM_VERSION = 0x0901;
  static final int PLATFORM_NAME = 0x0902;
  static final int DEVICE_TYPE = 0x1000;
  static final int DEVICE_LOCAL_MEM_SIZE = 0x1023;
  static final int DEVICE_QUEUE_PROPERTIES = 0x102a;
  static final int DEVICE_NAME = 0x102b;
  static final int DRIVER_VERSION = 0x102d;
  static final int DEVICE_VERSION = 0x102f;
  static final int IMAGE_ELEMENT_SIZE = 0x1111;
  static final int PROGRAM_NUM_DEVICES = 0x1162;
  static final int PROGRAM_SOURCE = 0x1164;
  static final int PROGRAM_IL = 0x1169;
  static final int PROGRAM_BINARY_SIZES = 0x1165;
  static final int PROGRAM_BINARIES = 0x1166;
  static final int KERNEL_NUM_ARGS = 0x1191;
  static final int KERNEL_ARG_ADDRESS_QUALIFIER = 0x1196;
  static final int KERNEL_ARG_ACCESS_QUALIFIER = 0x1197;
  static final int KERNEL_ARG_TYPE_NAME = 0x1198;
  static final int EVENT_COMMAND_EXECUTION_STATUS = 0x11d3;

  static final int ARG_ADDRESS_GLOBAL = 0x119b;
  static final int ARG_ADDRESS_LOCAL = 0x119c;
  static final int ARG_ADDRESS_CONSTANT = 0x119d;
  static final int ARG_ACCESS_READ_ONLY = 0x11a0;

  static final long DEVICE_TYPE_ALL = 0xffffffffL;
  static final long MEM_USE_HOST_PTR = 1 << 3;
  static final long MEM_ALLOC_HOST_PTR = 1 << 4;
  static final long MEM_COPY_HOST_PTR = 1 << 5;
  static final long MEM_HOST_WRITE_ONLY = 1 << 7;
  static final long MEM_HOST_READ_ONLY = 1 << 8;
  static final long MEM_HOST_NO_ACCESS = 1 << 9;
  static final long MAP_READ = 1;
  static final long MAP_WRITE = 1 << 1;
  static final long MAP_WRITE_INVALIDATE_REGION = 1 << 2;
  static final int BUFFER_CREATE_TYPE_REGION = 0x1220;

  static final int MEM_OBJECT_IMAGE2D = 0x10f1;
  static final int MEM_OBJECT_IMAGE3D = 0x10f2;
  static final int MEM_OBJECT_IMAGE2D_ARRAY = 0x10f3;
  static final int MEM_OBJECT_IMAGE1D_ARRAY = 0x10f5;
  static final int MEM_OBJECT_IMAGE1D_BUFFER = 0x10f6;

  /**
   * Queries whose answers are, or hold, handles or addresses of this process. The application's
   * side answers them from objects of its own; here they are refused.
   */
  private static final Set<Integer> HANDLES =
      Set.of(
          0x1031, // CL_DEVICE_PLATFORM
          0x1042, // CL_DEVICE_PARENT_DEVICE
          0x1118, // CL_IMAGE_BUFFER
          0x1161, // CL_PROGRAM_CONTEXT
          0x1163, // CL_PROGRAM_DEVICES
          PROGRAM_BINARIES, // takes addresses
          0x1193, // CL_KERNEL_CONTEXT
          0x1194); // CL_KERNEL_PROGRAM

  static boolean isHandle(int param) {
    return HANDLES.contains(param);
  }

  private ClParam() {}
}
