package io.sluice.testbed.architecture;

import java.util.Set;

/**
 * The places that do not keep the rules yet. Nothing is added; what keeps them now is taken off, or
 * the tests fail.
 */
final class Exceptions {
  /**
   * Tests that sleep: what they test is that something comes late or at any moment, or they look at
   * a process, a machine or a card that tells nobody of its progress.
   */
  static final Set<String> SLEEPERS =
      Set.of(
          "HeldDaemon",
          "MachineDamageTest",
          "MachineFaultTest",
          "NvidiaDaemonTest",
          "NvidiaMachineTest",
          "NvidiaMigrationTest",
          "NvidiaQuotaTest",
          "ProcessFaultTest",
          "ProcessMigrationTest",
          "ProcessWork",
          "SharingGuestTest",
          "SharingMigrationTest");

  private Exceptions() {}
}
