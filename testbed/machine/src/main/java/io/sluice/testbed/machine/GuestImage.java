package io.sluice.testbed.machine;

import java.io.IOException;

/** {@code ./sluice image}: has the guest image built, or found cached, and prints its directory. */
public final class GuestImage {
  private GuestImage() {}

  /** Takes no arguments; the launcher says where the machine environment is. */
  public static void main(String[] arguments) throws IOException, InterruptedException {
    MachineEnvironment environment =
        MachineEnvironment.find()
            .orElseThrow(
                () -> new IOException("no machine environment: start it by ./sluice image"));
    System.out.println(environment.image());
  }
}
