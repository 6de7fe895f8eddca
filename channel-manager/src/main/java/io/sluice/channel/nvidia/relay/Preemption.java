package io.sluice.channel.nvidia.relay;

import io.sluice.abi.rm.RmStatus;
import io.sluice.abi.rm.control.CtxswPreemption;
import io.sluice.abi.rm.program.ProgramClass;
import io.sluice.abi.rm.program.ProgramControl;
import io.sluice.channel.nvidia.relay.link.Denial;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * The preemption of kernels: at any instruction, as libcuda asks for it. A channel group that did
 * not ask would keep the graphics engine from everybody for as long as a kernel of it runs.
 */
final class Preemption {
  private Preemption() {}

  /** Has a program's own wish be this one. */
  static void require(MemorySegment block) {
    if ((CtxswPreemption.FLAGS.bits(block) & CtxswPreemption.FLAGS_CILP_SET) != 0) {
      CtxswPreemption.COMPUTE_MODE.setBits(block, CtxswPreemption.COMPUTE_CILP);
    }
  }

  /**
   * Before a group on the graphics engine is scheduled.
   *
   * @throws Denial when RM refuses: then it must not be
   */
  static void require(ProgramDriver driver, ProgramFile control, RmObject.Name group)
      throws Denial {
    RmObject subdevice =
        driver
            .objects()
            .first(group.client(), ProgramClass.NV20_SUBDEVICE_0)
            .orElseThrow(() ->
                new Denial(
                    RmStatus.INVALID_STATE, "a channel group of a client without subdevice"));
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment block = arena.allocate(CtxswPreemption.LAYOUT);
      CtxswPreemption.FLAGS.setBits(block, CtxswPreemption.FLAGS_CILP_SET);
      CtxswPreemption.H_CHANNEL.setBits(block, group.handle());
      CtxswPreemption.COMPUTE_MODE.setBits(block, CtxswPreemption.COMPUTE_CILP);
      int status =
          driver.control(
              control,
              subdevice.name(),
              ProgramControl.GR_SET_CTXSW_PREEMPTION_MODE.command(),
              block);
      if (status != RmStatus.OK.code()) {
        throw new Denial(
            RmStatus.INVALID_STATE,
            "a channel group that RM does not preempt, " + RmStatus.nameOf(status));
      }
    }
  }
}
