package io.sluice.daemon.relay;

import io.sluice.channel.nvidia.relay.ProgramRelay;

/** A host with one GPU. */
final class NoOtherGpus implements OtherGpus {
  @Override
  public ProgramRelay open(String failed, String gpu, ProgramRelay own) {
    throw new AssertionError("another GPU is asked for: " + gpu);
  }

  @Override
  public void close(String gpu, ProgramRelay relay) {
    throw new AssertionError("another GPU is closed: " + gpu);
  }
}
