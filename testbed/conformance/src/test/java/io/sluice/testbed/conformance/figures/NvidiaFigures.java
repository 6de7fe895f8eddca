package io.sluice.testbed.conformance.figures;

import io.sluice.abi.GpuVa;
import io.sluice.channel.GuestGpu.GpuMemory;
import io.sluice.channel.nvidia.NvidiaGpu;
import io.sluice.channel.nvidia.submit.HopperCommands;
import io.sluice.channel.nvidia.submit.HopperKernel;
import io.sluice.channel.nvidia.submit.HopperLaunch;
import io.sluice.testbed.conformance.rig.Cubin;
import io.sluice.testbed.conformance.rig.NvidiaRig;
import io.sluice.testbed.conformance.rig.OtherProcess;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Locale;

/** Measures, judges nothing: latencies and bandwidths of channels of the GPU of this machine. */
public final class NvidiaFigures {
  private static final int SAMPLES = 10_000;
  private static final long MIB = 1 << 20;
  private static final long SYSTEM = 0x2000_0000L;
  private static final long VIDEO = 0x20_0000_0000L;

  private NvidiaFigures() {}

  /** No arguments. */
  public static void main(String[] arguments) throws Exception {
    NvidiaGpu gpu = NvidiaRig.open();
    try {
      System.out.printf("driver %s%n", gpu.driverVersion());
      long start = System.nanoTime();
      gpu.open("first").close();
      print("open and close of a guest", System.nanoTime() - start);
      for (int engine : new int[] {NvidiaRig.COPY_CLASS, NvidiaRig.COMPUTE_CLASS}) {
        String name = engine == NvidiaRig.COPY_CLASS ? "copy engine" : "graphics";
        try (var guest = new NvidiaRig.Guest(gpu, "figures", engine)) {
          bandwidth(guest, name);
          latency(guest, name);
          interrupts(guest, name);
          suspending(guest, name);
          if (engine == NvidiaRig.COMPUTE_CLASS) {
            launches(guest);
          }
        }
      }
      guestAgainstHost(gpu);
    } finally {
      gpu.close();
    }
  }

  private static void latency(NvidiaRig.Guest guest, String name) {
    long[] release = new long[SAMPLES];
    long[] copy = new long[SAMPLES];
    HopperCommands commands = new HopperCommands();
    for (int round = 0; round < 3; round++) { // the last one counts: compiled, clocks up
      for (int i = 0; i < SAMPLES; i++) {
        release[i] = timed(guest, commands.clear());
      }
      for (int i = 0; i < SAMPLES; i++) {
        commands.clear().copy(new GpuVa(SYSTEM), new GpuVa(VIDEO), 4096);
        copy[i] = timed(guest, commands);
      }
    }
    print(name + ": release after wait-for-idle, submit to seen", release);
    print(name + ": 4 KiB host to video memory, submit to seen", copy);
  }

  /** By a process that was given memory, and by the one that owns the GPU, by the same code. */
  private static void guestAgainstHost(NvidiaGpu gpu) throws Exception {
    for (int round = 0; round < 3; round++) {
      long host;
      long guest;
      try (var queue = new NvidiaRig.Guest(gpu, "host", NvidiaRig.COPY_CLASS)) {
        host = OtherProcess.median(OtherProcess.measure(queue.queue.ring(), 40_000));
      }
      try (var queue = new NvidiaRig.Guest(gpu, "guest", NvidiaRig.COPY_CLASS)) {
        guest = Long.parseLong(OtherProcess.submitFrom(queue, 40_000).getLast());
      }
      System.out.printf(
          Locale.ROOT,
          "guest against host: %.2f us and %.2f us, %.3f%n",
          guest / 1e3,
          host / 1e3,
          (double) guest / host);
    }
  }

  /** An empty grid, its descriptor in host memory, or in video memory. */
  private static void launches(NvidiaRig.Guest guest) throws Exception {
    HopperKernel kernel = Cubin.compileAll("workloads.cu").orElseThrow().get("nn");
    if (kernel == null) {
      throw new IllegalStateException("no such kernel");
    }
    long bytes = 64 << 10;
    long code = 0x2000;
    GpuMemory host = guest.allocate(true, bytes);
    GpuMemory video = guest.allocate(false, bytes);
    long[] addresses = {0x2_4000_0000L, 0x2_5000_0000L};
    guest.mapAt(host, addresses[0]);
    guest.mapAt(video, addresses[1]);
    MemorySegment memory = guest.cpu(host);
    for (int i = 1; i >= 0; i--) {
      MemorySegment.copy(
          kernel.code(), 0, memory, ValueLayout.JAVA_BYTE, code, kernel.code().length);
      HopperLaunch.store(
          kernel, addresses[i] + code, memory, 0, addresses[i], 1, 32, 0, 0, 0, 0, 0, 0, 0);
      if (i == 1) {
        guest.gpu.copy(host, 0, video, 0, bytes);
      }
      HopperCommands commands = new HopperCommands();
      long _ = timed(guest, HopperLaunch.of(HopperLaunch.setUp(commands), addresses[i]));
      long[] each = new long[SAMPLES];
      for (int round = 0; round < 3; round++) {
        for (int sample = 0; sample < SAMPLES; sample++) {
          each[sample] = timed(guest, HopperLaunch.of(commands.clear(), addresses[i]));
        }
      }
      print("launch to completion, descriptor in " + (i == 0 ? "host" : "video") + " memory", each);
    }
  }

  private static void interrupts(NvidiaRig.Guest guest, String name) {
    long[] woken = new long[2000];
    for (int i = 0; i < woken.length; i++) {
      long start = System.nanoTime();
      guest.queue.ring().submit(new HopperCommands().interrupt());
      if (!guest.waitForEvent()) {
        throw new IllegalStateException("no event");
      }
      woken[i] = System.nanoTime() - start;
    }
    print(name + ": interrupt, submit to poll's return", woken);
  }

  private static void suspending(NvidiaRig.Guest guest, String name) {
    long[] suspend = new long[200];
    long[] resume = new long[suspend.length];
    for (int i = 0; i < suspend.length; i++) {
      long start = System.nanoTime();
      guest.queue.channel().suspend();
      long between = System.nanoTime();
      guest.queue.channel().resume();
      resume[i] = System.nanoTime() - between;
      suspend[i] = between - start;
    }
    print(name + ": suspend of an idle channel", suspend);
    print(name + ": resume", resume);
  }

  private static long timed(NvidiaRig.Guest guest, HopperCommands commands) {
    long start = System.nanoTime();
    long done = guest.queue.ring().submitWithRelease(commands);
    if (!guest.queue.ring().await(done, System::nanoTime, NvidiaRig.TIMEOUT_NS)) {
      throw new IllegalStateException("no completion");
    }
    return System.nanoTime() - start;
  }

  private static void bandwidth(NvidiaRig.Guest guest, String name) {
    long bytes = 256 * MIB;
    GpuMemory system = guest.allocate(true, bytes);
    GpuMemory video = guest.allocate(false, 2 * bytes);
    guest.mapAt(system, SYSTEM);
    guest.mapAt(video, VIDEO);
    guest.cpu(system).fill((byte) 0x3c);
    long[][] routes = {{SYSTEM, VIDEO}, {VIDEO, SYSTEM}, {VIDEO, VIDEO + bytes}};
    String[] names = {"host to video", "video to host", "video to video"};
    for (int route = 0; route < routes.length; route++) {
      long best = Long.MAX_VALUE;
      for (int i = 0; i < 40; i++) { // long enough for the clocks to go up by themselves
        HopperCommands commands =
            new HopperCommands()
                .bindCopy()
                .copy(new GpuVa(routes[route][0]), new GpuVa(routes[route][1]), bytes);
        best = Math.min(best, timed(guest, commands));
      }
      System.out.printf(
          Locale.ROOT,
          "%s: %s 256 MiB, best of 40: %.1f GB/s%n",
          name,
          names[route],
          (double) bytes / best);
    }
  }

  private static void print(String name, long... ns) {
    Arrays.sort(ns);
    System.out.printf(
        Locale.ROOT,
        "%s: n=%d median=%.2f us p99=%.2f us max=%.2f us%n",
        name,
        ns.length,
        ns[ns.length / 2] / 1e3,
        ns[(int) (ns.length * 0.99)] / 1e3,
        ns[ns.length - 1] / 1e3);
  }
}
