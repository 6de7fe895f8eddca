package io.sluice.daemon.guest;

import io.sluice.channel.nvidia.relay.ProgramRelay;
import io.sluice.daemon.gpu.GpuHost;
import io.sluice.daemon.relay.OtherGpus;
import io.sluice.management.ErrorCode;
import io.sluice.management.Problem;
import javax.management.OperationsException;

/** The GPUs to which the CUDA programs of a guest may go, beside its own. */
final class ProgramGpus implements OtherGpus {
  private final String guest;
  private final GpuHost own;
  private final Finder gpus;

  /** The GPUs of the daemon. */
  interface Finder {
    /** One of them, by its name. */
    GpuHost find(String failed, String gpu) throws OperationsException;
  }

  ProgramGpus(String guest, GpuHost own, Finder gpus) {
    this.guest = guest;
    this.own = own;
    this.gpus = gpus;
  }

  @Override
  public ProgramRelay open(String failed, String gpu, ProgramRelay relay)
      throws OperationsException {
    GpuHost to = gpus.find(failed, gpu);
    if (!to.isLike(own)) {
      throw otherKind(failed, gpu);
    }
    to.shares().set(failed, guest, own.shares().quota(guest));
    boolean complete = false;
    try {
      ProgramRelay there = to.relayBeside(guest, relay).orElseThrow(() -> otherKind(failed, gpu));
      complete = true;
      return there;
    } finally {
      if (!complete) {
        to.shares().remove(guest);
      }
    }
  }

  private OperationsException otherKind(String failed, String gpu) {
    return Problem.of(
            ErrorCode.PROGRAM_RESUME,
            failed,
            "GPU \"" + gpu + "\" is of another kind than \"" + own.name() + "\"",
            "name one of the same kind: sluicectl gpu list")
        .exception();
  }

  @Override
  public void close(String gpu, ProgramRelay relay) {
    relay.close();
    try {
      gpus.find("", gpu).shares().remove(guest);
    } catch (OperationsException e) {
      throw new IllegalStateException("a GPU is gone while a guest has it", e);
    }
  }
}
