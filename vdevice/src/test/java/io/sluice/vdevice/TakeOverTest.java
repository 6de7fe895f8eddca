package io.sluice.vdevice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.abi.Errno;
import io.sluice.abi.RefusedException;
import io.sluice.abi.sys.Fd;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A client that goes from one device to another, and does not notice. */
final class TakeOverTest {
  private static final Duration PATIENCE = Duration.ofMinutes(1);
  private static final long SCRATCH = 0x7ff0; // of the call slots: plain memory

  @TempDir private Path directory;
  private DeviceRig rig;
  private GuestDevice source;
  private RawClient client;

  @BeforeEach
  void attach() {
    rig = new DeviceRig(directory);
    source = rig.device("source");
    client = new RawClient(rig.kernel, rig.kernel.connect(directory.resolve("source")));
    client.negotiate();
    client.write32(1, SCRATCH, 5);
  }

  @AfterEach
  void close() {
    client.close();
    rig.close();
  }

  @Test
  void handOver_ofNobody_enotconn() {
    client.close();
    source.detach();
    assertThatThrownBy(() -> source.handOver(PATIENCE))
        .isInstanceOfSatisfying(
            RefusedException.class, e -> assertThat(e.errno()).isEqualTo(Errno.ENOTCONN));
  }

  @Test
  void handOver_whileAnotherIsUnderWay_enotconn() {
    Handover first = source.handOver(PATIENCE);
    assertThatThrownBy(() -> source.handOver(PATIENCE))
        .isInstanceOfSatisfying(
            RefusedException.class, e -> assertThat(e.errno()).isEqualTo(Errno.ENOTCONN));
    first.cancel();
    assertThat(client.read32(1, SCRATCH)).isEqualTo(5);
  }

  @Test
  void adopt_whereSomebodyIs_ebusy() {
    Handover handover = source.handOver(PATIENCE);
    assertThatThrownBy(() -> adopt(source, handover))
        .isInstanceOfSatisfying(
            RefusedException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EBUSY));
    handover.cancel();
    assertThat(client.read32(1, SCRATCH)).isEqualTo(5);
  }

  @Test
  void client_takenOver_isServedThere() {
    GuestDevice target = rig.target("target", new CountDownLatch(0));
    take(target).serve();
    assertThat(client.read32(1, SCRATCH)).isEqualTo(5);
    assertThat(source.guest()).isEmpty();
    assertThat(target.guest()).isPresent();
  }

  @Test
  void client_takenOverAndDiscarded_staysWithTheFirst() {
    GuestDevice target = rig.target("target", new CountDownLatch(0));
    Handover handover = source.handOver(PATIENCE);
    adopt(target, handover).discard();
    handover.cancel();
    assertThat(client.read32(1, SCRATCH)).isEqualTo(5);
    assertThat(target.guest()).isEmpty();
  }

  /** The thread that serves it begins late: it was lost then, and with it all it held. */
  @Test
  void client_toGoOnBeforeItWasServed_isNotLost() {
    CountDownLatch start = new CountDownLatch(1);
    GuestDevice target = rig.target("target", start);
    take(target).serve();
    CompletableFuture<Handover> next =
        CompletableFuture.supplyAsync(() -> target.handOver(PATIENCE));
    assertThat(next).isNotDone();
    start.countDown();
    next.join().cancel();
    assertThat(client.read32(1, SCRATCH)).isEqualTo(5);
  }

  private Adoption take(GuestDevice target) {
    Handover handover = source.handOver(PATIENCE);
    Adoption adoption = adopt(target, handover);
    handover.complete();
    return adoption;
  }

  private Adoption adopt(GuestDevice target, Handover handover) {
    List<Fd> copies = handover.files().stream().map(rig.kernel::dup).toList();
    boolean taken = false;
    try {
      Adoption adoption = target.adopt(ByteBuffer.wrap(handover.state()), copies);
      taken = true;
      return adoption;
    } finally {
      if (!taken) {
        copies.forEach(Fd::close);
      }
    }
  }
}
