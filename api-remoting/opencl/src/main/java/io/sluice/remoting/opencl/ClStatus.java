package io.sluice.remoting.opencl;

import io.sluice.remoting.session.ObjectKind;

/** The status codes that the session host itself gives; CL/cl.h. */
final class ClStatus {
  static final int SUCCESS = 0;
  static final int COMPLETE = 0;

  /** The first state of an event; CL_QUEUED. */
  static final int QUEUED = 3;

  static final int MEM_OBJECT_ALLOCATION_FAILURE = -4;
  static final int OUT_OF_RESOURCES = -5;
  static final int PROFILING_INFO_NOT_AVAILABLE = -7;
  static final int EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST = -14;
  static final int INVALID_VALUE = -30;
  static final int INVALID_PLATFORM = -32;
  static final int INVALID_DEVICE = -33;
  static final int INVALID_CONTEXT = -34;
  static final int INVALID_QUEUE_PROPERTIES = -35;
  static final int INVALID_COMMAND_QUEUE = -36;
  static final int INVALID_MEM_OBJECT = -38;
  static final int INVALID_SAMPLER = -41;
  static final int INVALID_PROGRAM = -44;
  static final int INVALID_KERNEL = -48;
  static final int INVALID_ARG_INDEX = -49;
  static final int INVALID_ARG_VALUE = -50;
  static final int INVALID_ARG_SIZE = -51;
  static final int INVALID_WORK_GROUP_SIZE = -54;
  static final int INVALID_EVENT = -58;
  static final int INVALID_OPERATION = -59;

  /**
   * The state of a user event that is released, or whose application is gone, before it was set.
   */
  static final int ABANDONED = EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;

  /** That of a handle of a kind which names nothing. */
  static int ofMissing(ObjectKind kind) {
    return switch (kind.name()) {
      case "platform" -> INVALID_PLATFORM;
      case "device" -> INVALID_DEVICE;
      case "context" -> INVALID_CONTEXT;
      case "queue" -> INVALID_COMMAND_QUEUE;
      case "mem" -> INVALID_MEM_OBJECT;
      case "sampler" -> INVALID_SAMPLER;
      case "program" -> INVALID_PROGRAM;
      case "kernel" -> INVALID_KERNEL;
      case "event" -> INVALID_EVENT;
      default -> INVALID_VALUE;
    };
  }

  private ClStatus() {}
}
