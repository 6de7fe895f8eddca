package io.sluice.testbed.machine.move.machine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.Mapping;
import io.sluice.abi.sys.RealKernel;
import io.sluice.channel.GuestGpu.SharedArea;
import io.sluice.channel.guest.Guest;
import io.sluice.channel.record.MemoryPagesRecord;
import io.sluice.channel.record.StateRecord;
import io.sluice.migrate.machine.MachineProgress.State;
import io.sluice.migrate.machine.SourceMachine.PageRange;
import io.sluice.migrate.qemu.QemuSource;
import io.sluice.migrate.qemu.QemuTarget;
import io.sluice.testbed.checks.TakesLong;
import io.sluice.testbed.machine.MachineEnvironment;
import io.sluice.testbed.machine.MachineGuest;
import io.sluice.testbed.machine.support.CardHost;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The machine's half of a migration alone, between two real QEMUs: GPU memory and state are moved
 * by the test, in the pause.
 */
@TakesLong("it boots a machine and moves it to and fro")
final class QemuMigrationTest {
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final Duration ANSWER = Duration.ofSeconds(10);
  private static final int HARDWARE_WORDS_BYTES = 0x200;

  @TempDir private Path directory;
  private final Kernel kernel = RealKernel.create();
  private MachineEnvironment environment;
  private Path image;

  @BeforeEach
  void find() throws Exception {
    Optional<MachineEnvironment> found = MachineEnvironment.find();
    assumeTrue(found.isPresent(), MachineEnvironment.absence());
    environment = found.get();
    image = environment.image();
  }

  /** One side: a card, a machine. */
  private final class Side implements AutoCloseable {
    final CardHost host;
    final MachineGuest machine;
    final Path qmp;

    Side(String name, String run, List<String> qemuArguments) throws Exception {
      Path own = Files.createDirectory(directory.resolve(name));
      host = new CardHost(kernel, name, own.resolve("gpu.sock"));
      qmp = own.resolve("qmp");
      machine =
          MachineGuest.start(
              environment,
              new MachineGuest.Setup(
                  image, List.of(own.resolve("gpu.sock")), run, Optional.of(qmp), qemuArguments),
              _ -> {});
    }

    Guest guest() {
      return host.device().guest().orElseThrow();
    }

    @Override
    public void close() throws Exception {
      machine.close();
      host.close();
    }
  }

  @Test
  void machine_movesWhileItWorks_nothingIsLostNothingRunsTwice() throws Exception {
    String run = "once 20";
    List<String> incoming =
        List.of("--bind", directory.toString(), "--", "-S", "-incoming", "defer");
    try (Side source = new Side("source", run, List.of("--bind", directory.toString()))) {
      source.machine.await("once: ", PATIENCE);
      try (Side target = new Side("target", run, incoming)) {
        await().atMost(PATIENCE).until(() -> target.host.device().guest().isPresent());
        await().atMost(PATIENCE).until(() -> Files.exists(target.qmp));
        move(source, target);
        assertThat(target.machine.await("once: ok", PATIENCE)).isNotEmpty();
        assertThat(target.machine.awaitExit(PATIENCE)).isZero();
      }
    }
  }

  private void move(Side source, Side target) throws Exception {
    DirectTransport transport = new DirectTransport(directory.resolve("ram"));
    QemuSource.Settings settings =
        new QemuSource.Settings(100 << 20, Duration.ofMillis(300), ANSWER);
    try (QemuSource from =
            QemuSource.open(
                source.host.device(), source.qmp, transport, settings, CardHost.THREADS);
        QemuTarget to =
            QemuTarget.open(
                target.host.device(), target.qmp, () -> transport, ANSWER, CardHost.THREADS)) {
      assertThat(from.blockers()).isEmpty();
      from.start(to.prepare(from.describe()));
      from.allowStop();
      await().atMost(PATIENCE).until(() -> from.progress().state() == State.STOPPED);
      long stopped = System.nanoTime();

      Guest guest = source.guest();
      List<Integer> channels = guest.channels().ids();
      channels.forEach(cid -> guest.channels().detach(cid, "moves"));
      await().atMost(PATIENCE).until(() -> channels.stream().allMatch(guest.channels()::drain));
      await().atMost(PATIENCE).until(from::holdStill);
      List<ByteBuffer> device = from.save();
      List<StateRecord> records = guest.move().snapshot();
      List<PageRange> pages = new ArrayList<>();
      for (StateRecord record : records) {
        if (record instanceof MemoryPagesRecord some) {
          some.pages().forEach(p -> pages.add(new PageRange(p.iova(), p.bytes())));
        }
      }
      await().atMost(PATIENCE).until(() -> from.redirty(pages));
      System.out.println("redirtied after " + (System.nanoTime() - stopped) / 1000 + " us");
      from.switchOver();
      await()
          .atMost(PATIENCE)
          .until(() ->
              from.progress().state() == State.COMPLETED
                  && to.progress().state() == State.COMPLETED);

      Guest other = target.guest();
      other.move().restore(records);
      copy(guest.vramAperture().orElseThrow(), other.vramAperture().orElseThrow());
      copyControl(guest, other, channels);
      await().atMost(PATIENCE).until(() -> to.restore(device));
      to.resume();
      await().atMost(PATIENCE).until(() -> to.progress().state() == State.RUNNING);
      channels.forEach(cid -> other.channels().resume(cid, "moved"));
      System.out.println("stood still for " + (System.nanoTime() - stopped) / 1000 + " us");
      from.finish();
    }
  }

  private void copy(SharedArea from, SharedArea to) {
    try (Mapping a = map(from);
        Mapping b = map(to)) {
      for (long at = 0; at < from.sizeBytes(); at += 4096) {
        MemorySegment page = a.segment().asSlice(at, 4096);
        MemorySegment other = b.segment().asSlice(at, 4096);
        if (page.mismatch(other) >= 0) {
          other.copyFrom(page);
        }
      }
    }
  }

  private void copyControl(Guest from, Guest to, List<Integer> channels) {
    try (Mapping a = map(from.controlPages());
        Mapping b = map(to.controlPages())) {
      for (int cid : channels) {
        MemorySegment.copy(
            a.segment(), cid * 4096L, b.segment(), cid * 4096L, HARDWARE_WORDS_BYTES);
      }
    }
  }

  private Mapping map(SharedArea area) {
    return kernel.mmap(
        area.fd(), area.offset(), area.sizeBytes(), Kernel.PROT_READ | Kernel.PROT_WRITE);
  }
}
