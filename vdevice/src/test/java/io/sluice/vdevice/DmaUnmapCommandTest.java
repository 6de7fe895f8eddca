package io.sluice.vdevice;

import static io.sluice.vdevice.RawClient.body;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.abi.Errno;
import io.sluice.abi.sys.Fd;
import io.sluice.testbed.checks.Held;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** DMA_UNMAP. */
final class DmaUnmapCommandTest extends ServerTest {
  private static final long MIB = 1 << 20;
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private static byte[] unmap(int flags, long iova, long size) {
    return body(24, flags, iova, size);
  }

  @BeforeEach
  void mapTwoMegabytes() {
    try (Fd memory = kernel.memfdCreate("ram", 2 * MIB)) {
      client.ok(2, body(32, 3, 0L, MIB, MIB), memory);
      client.ok(2, body(32, 3, MIB, 2 * MIB, MIB), memory);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 16, 23, 4097})
  void unmap_wrongLength_einval(int bytes) {
    refused(Errno.EINVAL, 3, new byte[bytes]);
  }

  /** SPDK sends the map's descriptor again. */
  @Test
  void unmap_withADescriptor_unmapsAndClosesIt() {
    Map<Integer, String> open = Held.now().fds();
    try (Fd memory = kernel.memfdCreate("ram", MIB)) {
      client.ok(3, unmap(0, MIB, MIB), memory);
      // What a client sent is closed beside the answer, by a thread of its own.
      await().atMost(PATIENCE).until(() -> Held.now().fds().size() <= open.size());
      refused(Errno.EINVAL, 3, unmap(0, 2 * MIB, MIB), memory, memory);
    }
    assertGoesOn();
    assertThat(session.dma().size()).isEqualTo(1);
    assertThat(Held.now().fds().size()).isLessThan(open.size());
  }

  @Test
  void unmap_argszTooSmall_einval() {
    refused(Errno.EINVAL, 3, body(23, 0, MIB, MIB));
  }

  @ParameterizedTest
  @ValueSource(ints = {4, 8, 0x80000000})
  void unmap_unknownFlags_einval(int flags) {
    refused(Errno.EINVAL, 3, unmap(flags, MIB, MIB));
  }

  @Test
  void unmap_withDirtyBitmap_eopnotsuppAndKeepsTheMap() {
    refused(Errno.EOPNOTSUPP, 3, body(40, 1, MIB, MIB, 4096L, 32L));
    refused(Errno.EOPNOTSUPP, 3, body(40, 3, 0L, 0L, 4096L, 32L));
    assertThat(session.dma().size()).isEqualTo(2);
  }

  /** As libvfio-user's server takes it; what is behind the structure has a meaning by flags. */
  @Test
  void unmap_padded_isAcceptedAndTheReplyIsNot() {
    ByteBuffer reply = client.ok(3, body(40, 0, MIB, MIB, 4096L, 32L));
    assertThat(reply.capacity()).isEqualTo(24);
    assertThat(session.dma().size()).isEqualTo(1);
    refused(Errno.EINVAL, 3, body(23, 0, 2 * MIB, MIB, -1L));
    refused(Errno.EINVAL, 3, body(40, 4, 2 * MIB, MIB, -1L));
    client.ok(3, body(64, 2, 0L, 0L, -1L, -1L, -1L, -1L, -1L));
    assertThat(session.dma().size()).isZero();
  }

  @ParameterizedTest
  @CsvSource({
    "0x100800, 0x100000",
    "0x100000, 0",
    "0x100000, 100",
    "0x100000, -4096",
    "-4096, 8192",
    "0x1000, -1"
  })
  void unmap_badRange_einval(String iova, String size) {
    refused(Errno.EINVAL, 3, unmap(0, Long.decode(iova), Long.decode(size)));
    assertThat(session.dma().size()).isEqualTo(2);
  }

  @ParameterizedTest
  @CsvSource({"0x100000, 0x1000", "0x101000, 0xff000", "0x180000, 0x180000", "0, 0x280000"})
  void unmap_thatCutsAMap_einvalAndChangesNothing(String iova, String size) {
    refused(Errno.EINVAL, 3, unmap(0, Long.decode(iova), Long.decode(size)));
    assertThat(gpu.last().regions).hasSize(2);
  }

  @Test
  void unmap_allWithARange_einval() {
    refused(Errno.EINVAL, 3, unmap(2, MIB, MIB));
    refused(Errno.EINVAL, 3, unmap(2, 0, MIB));
  }

  @ParameterizedTest
  @CsvSource({"0x10000000, 0x1000", "0, 0x100000", "0x800000000000, 0x800000000000"})
  void unmap_ofWhatWasNeverMapped_succeedsQuietly(String iova, String size) {
    client.ok(3, unmap(0, Long.decode(iova), Long.decode(size)));
    assertThat(session.dma().size()).isEqualTo(2);
  }

  @Test
  void unmap_exactly_revokesBeforeTheReplyAndFreesTheDescriptor() {
    Map<Integer, String> open = Held.now().fds();
    ByteBuffer reply = client.ok(3, unmap(0, MIB, MIB));
    assertThat(gpu.last().regions).containsExactly("offset=1048576 size=1048576 writable=true");
    assertThat(Held.now().fds()).hasSize(open.size() - 1);
    assertThat(reply.capacity()).isEqualTo(24);
    assertThat(reply.getLong(8)).isEqualTo(MIB);
    assertThat(reply.getLong(16)).isEqualTo(MIB);
  }

  @Test
  void unmap_ofARangeAroundSeveralMaps_takesThemAll() {
    client.ok(3, unmap(0, 0, 1L << 47));
    assertThat(gpu.last().regions).isEmpty();
  }

  @Test
  void unmap_all_takesThemAll() {
    client.ok(3, unmap(2, 0, 0));
    assertThat(session.dma().size()).isZero();
    assertThat(gpu.last().regions).isEmpty();
  }

  /** What QEMU unmaps of a virtual IOMMU: the address space in two halves. */
  @Test
  void unmap_toTheEndOfTheAddressSpace_takesWhatIsThere() {
    client.ok(2, body(32, 3, 0L, -4096L, 4096L)); // without a descriptor
    assertThat(session.dma().size()).isEqualTo(3);
    client.ok(3, unmap(0, 1L << 63, 1L << 63));
    assertThat(session.dma().size()).isEqualTo(2);
    client.ok(3, unmap(0, 0, 1L << 63));
    assertThat(session.dma().size()).isZero();
  }

  @Test
  void unmap_allButTheLastPage_leavesThat() {
    client.ok(2, body(32, 3, 0L, -4096L, 4096L));
    client.ok(3, unmap(0, 0, -4096L));
    assertThat(session.dma().size()).isEqualTo(1);
    client.ok(3, unmap(0, 4096L, -4096L));
    assertThat(session.dma().size()).isZero();
  }

  @Test
  void unmap_thenMapAgain_works() {
    client.ok(3, unmap(0, MIB, MIB));
    try (Fd memory = kernel.memfdCreate("ram", MIB)) {
      client.ok(2, body(32, 1, 0L, MIB, MIB), memory);
    }
    assertThat(gpu.last().regions).hasSize(2);
  }
}
