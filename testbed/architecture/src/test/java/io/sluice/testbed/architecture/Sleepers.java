package io.sluice.testbed.architecture;

import java.util.Map;

/**
 * The sources that sleep, each with the reason: a delay or a pace that is what it is about, or a
 * poll with a bound of what tells nobody. Whoever needs that something has happened waits for that
 * thing.
 */
final class Sleepers {
  static final Map<String, String> REASONS =
      Map.ofEntries(
          Map.entry(
              "AttackRun", "the attack's time, and polls with a bound of what other processes do"),
          Map.entry("Attacker", "the pace of attempts that are refused"),
          Map.entry("BoundedWait", "the bounded poll itself"),
          Map.entry("DaemonProcess", "a bounded poll: a process that starts tells nobody"),
          Map.entry("DelayedLink", "the delay of the link that it stands for"),
          Map.entry("DividedMemoryTest", "one lane is late: an error must wait for it"),
          Map.entry("FairnessBench", "a rest before, and the time that is measured"),
          Map.entry("HeldDaemon", "a look at the least that a process holds in some time"),
          Map.entry("HostFailureTest", "the time for which a daemon stands still"),
          Map.entry("InterruptAttacks", "the pace of interrupts"),
          Map.entry("KillBench", "the time that a grid runs before it is killed"),
          Map.entry("LanesTest", "one share is late: an error must wait for it"),
          Map.entry("LeakCheck", "a bounded poll of the process's own descriptors and threads"),
          Map.entry("Load", "the pace of a load"),
          Map.entry("MachineDamageTest", "the time for which a destination is late"),
          Map.entry("MachineStart", "the pace at which what failed is tried again"),
          Map.entry("MachineFaultTest", "the time for which a process stands still"),
          Map.entry("NvidiaCudaSuspendTest", "the pace at which programs are suspended"),
          Map.entry("NvidiaCudaMovesTest", "the pace at which memory moves under a program"),
          Map.entry("MemoryAttacks", "an attack that holds what it has until it is over"),
          Map.entry("Newcomer", "the pace of lists"),
          Map.entry("NvidiaDaemonTest", "waits longer than the kill-timeout, and shorter"),
          Map.entry("NvidiaMachineTest", "the pace of moves"),
          Map.entry("NvidiaQuotaTest", "a rest before, and the pace of changes"),
          Map.entry("OperationWatch", "the pace of a watch that an operator looks at"),
          Map.entry("OtherGuest", "the pace of a load"),
          Map.entry("PatientWait", "the poll that benches compare"),
          Map.entry("PickUpBench", "the time for which a channel is idle"),
          Map.entry("PlainMachine", "a rest before what is measured"),
          Map.entry("ProcessFaultTest", "the time for which a process stands still"),
          Map.entry("ProcessMigrationTest", "any moment of a move"),
          Map.entry("QuotaBench", "the pace of changes"),
          Map.entry("RawGuest", "a bounded poll of a call's completion"),
          Map.entry("RelayShuttle", "the pace of moves"),
          Map.entry("ScaleBench", "a rest before, and the time that is measured"),
          Map.entry("SharingGuestTest", "the pace of changes"),
          Map.entry("SharingMigrationTest", "any moment of a kill-timeout"),
          Map.entry("Shuttle", "the pace of moves"),
          Map.entry("Spinner", "the part of the time in which it does not spin"),
          Map.entry("Stamps", "the poll that a bench measures with"),
          Map.entry("WorkingGuest", "the pace of a load"));

  private Sleepers() {}
}
