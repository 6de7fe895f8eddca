package io.sluice.testbed.attack;

import io.sluice.abi.SyscallException;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.RealKernel;
import java.io.IOException;
import java.nio.file.Path;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/** The attacker, a process without any right but to connect to one guest's socket. */
final class Attacker {
  private static final long BETWEEN_NS = 1_000_000;

  private Attacker() {}

  /**
   * Arguments: the socket, the attack's name and the seed. It goes on, and keeps what it has taken,
   * until its standard input ends.
   */
  public static void main(String[] arguments) throws IOException, InterruptedException {
    Path socket = Path.of(arguments[0]);
    Attack attack = Attack.of(arguments[1]);
    long seed = Long.parseLong(arguments[2]);
    Kernel kernel = RealKernel.create();
    SplittableRandom random = new SplittableRandom(seed);
    long rounds = 0;
    String last = "nothing";
    Descriptors descriptors = new Descriptors(kernel);
    System.out.println("attack: " + attack.label() + " begins, seed " + seed);
    AtomicBoolean over = new AtomicBoolean();
    Thread _ = Thread.ofPlatform().daemon().name("release").start(() -> awaitEnd(over));
    do {
      rounds++;
      try {
        attack.run(new Means(kernel, socket, descriptors, random, over::get));
      } catch (RawGuest.Refused | SyscallException e) {
        last = String.valueOf(e.getMessage());
        LockSupport.parkNanos(BETWEEN_NS);
      }
    } while (!over.get());
    System.out.printf(
        "attack: %s over, rounds %d, last refused: %s%n", attack.label(), rounds, last);
    descriptors.close();
    Runtime.getRuntime().halt(0); // whatever a close waits for
  }

  private static void awaitEnd(AtomicBoolean over) {
    try {
      byte[] _ = System.in.readAllBytes();
    } catch (IOException _) {
      // ended too
    }
    over.set(true);
  }
}
