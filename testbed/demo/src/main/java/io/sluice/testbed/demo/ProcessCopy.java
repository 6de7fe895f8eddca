package io.sluice.testbed.demo;

import io.sluice.abi.GpuVa;
import io.sluice.abi.sys.Kernel;
import io.sluice.guest.AttachedDevice;
import io.sluice.guest.Buffer;
import io.sluice.guest.ClientChannel;
import io.sluice.guest.Pushbuffer;
import io.sluice.guest.Space;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The demo's work in a process: channel A copies from this process' memory to video memory with
 * M2MF and releases a semaphore; channel B, in an address space of its own, acquires it and copies
 * back with PCOPY. A is waited for by polling, B by its interrupt.
 */
final class ProcessCopy implements GuestWork {
  private static final int INTERRUPT_TIMEOUT_MS = 30_000;
  private static final int SEED = 0x51_1c_e0;

  private final Kernel kernel;
  private final Path socket;
  private final long bytes;
  private final Report report;
  private @Nullable Parts parts;

  /** All that set-up makes. */
  private record Parts(
      AttachedDevice device,
      Space spaceA,
      Space spaceB,
      ClientChannel a,
      ClientChannel b,
      Buffer source,
      Buffer video,
      Buffer result,
      Buffer semaphore,
      Addresses addresses) {}

  private record Addresses(
      GpuVa source, GpuVa videoA, GpuVa semaphoreA, GpuVa videoB, GpuVa semaphoreB, GpuVa result) {}

  ProcessCopy(Kernel kernel, Path socket, long bytes, Report report) {
    this.kernel = kernel;
    this.socket = socket;
    this.bytes = bytes;
    this.report = report;
  }

  @Override
  public DemoPart part() {
    return DemoPart.PROCESS_COPY;
  }

  @Override
  public String done() {
    return PlainUnits.bytes(bytes) + " were copied";
  }

  @Override
  public void setUp() {
    AttachedDevice device = AttachedDevice.attach(kernel, socket);
    Space spaceA = device.newSpace();
    Space spaceB = device.newSpace();
    Buffer source = device.allocateProcess(bytes);
    Buffer video = device.allocateVideo(bytes);
    Buffer result = device.allocateProcess(bytes);
    Buffer semaphore = device.allocateProcess(4096);
    Addresses addresses =
        new Addresses(
            spaceA.map(source),
            spaceA.map(video),
            spaceA.map(semaphore),
            spaceB.map(video),
            spaceB.map(semaphore),
            spaceB.map(result));
    ClientChannel a = spaceA.newChannel();
    ClientChannel b = spaceB.newChannel();
    parts = new Parts(device, spaceA, spaceB, a, b, source, video, result, semaphore, addresses);
    report.say("It has two channels: rings of commands in memory, which the GPU reads by");
    report.say("itself. One copies to video memory, the other back, when the first is done.");
  }

  @Override
  public void submit() {
    Parts p = set();
    fill(p.source().bytes());
    Addresses at = p.addresses();
    Pushbuffer words = new Pushbuffer().bindEngines();
    int fenceB =
        p.b()
            .submitWithInterrupt(
                new Pushbuffer()
                    .bindEngines()
                    .acquireAtLeast(at.semaphoreB(), 1)
                    .copyPcopy(at.videoB(), at.result(), bytes));
    int fenceA =
        p.a()
            .submitWithFence(
                words.copyM2mf(at.source(), at.videoA(), bytes).release(at.semaphoreA(), 1));
    p.a().awaitByPolling(fenceA);
    boolean arrived = p.b().awaitByInterrupt(fenceB, INTERRUPT_TIMEOUT_MS);
    report.check(arrived, "the GPU woke the process by an interrupt when all was copied");
  }

  @Override
  public void verify() {
    Parts p = set();
    report.check(
        p.source().bytes().mismatch(p.result().bytes()) == -1,
        "all %s came back as they went",
        PlainUnits.bytes(bytes));
    report.check(
        p.video().bytes().mismatch(p.source().bytes()) == -1, "video memory holds them, too");
  }

  @Override
  public void close() {
    if (parts == null) {
      return;
    }
    Parts p = parts;
    parts = null;
    p.a().close();
    p.b().close();
    Addresses at = p.addresses();
    p.spaceA().unmap(at.source());
    p.spaceA().unmap(at.videoA());
    p.spaceA().unmap(at.semaphoreA());
    p.spaceB().unmap(at.videoB());
    p.spaceB().unmap(at.semaphoreB());
    p.spaceB().unmap(at.result());
    for (Buffer buffer : new Buffer[] {p.source(), p.video(), p.result(), p.semaphore()}) {
      buffer.close();
    }
    p.spaceA().close();
    p.spaceB().close();
    p.device().close();
  }

  private Parts set() {
    if (parts == null) {
      throw new IllegalStateException("setUp comes first");
    }
    return parts;
  }

  /** A pattern in which every word differs from its neighbours. */
  private static void fill(MemorySegment memory) {
    int value = SEED;
    for (long i = 0; i < memory.byteSize() / 4; i++) {
      value = value * 0x0019_660d + 0x3c6e_f35f;
      memory.setAtIndex(ValueLayout.JAVA_INT, i, value);
    }
  }
}
