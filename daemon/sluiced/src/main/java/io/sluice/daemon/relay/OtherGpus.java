package io.sluice.daemon.relay;

import io.sluice.channel.nvidia.relay.ProgramRelay;
import javax.management.OperationsException;

/** The GPUs that are not a guest's own, as far as its programs may go there. */
public interface OtherGpus {
  /**
   * Begins to relay them on one: the guest has its quota there, too, from now on.
   *
   * @param failed what does not happen when this is refused, for the message
   * @param own the relay on the guest's own GPU
   * @throws OperationsException there is no such GPU, it is of another kind, or has no room for the
   *     quota
   */
  ProgramRelay open(String failed, String gpu, ProgramRelay own) throws OperationsException;

  /**
   * None of them is there any more.
   *
   * @param relay is closed
   */
  void close(String gpu, ProgramRelay relay);
}
