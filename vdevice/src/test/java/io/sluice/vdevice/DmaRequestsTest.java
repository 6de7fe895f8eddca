package io.sluice.vdevice;

import static io.sluice.vdevice.RawClient.body;
import static io.sluice.vdevice.RawClient.header;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.abi.Errno;
import io.sluice.abi.Iova;
import io.sluice.abi.RefusedException;
import io.sluice.vdevice.protocol.Limits;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** DMA_READ and DMA_WRITE, which the server sends. */
final class DmaRequestsTest extends ServerTest {
  private static final Duration LONG = Duration.ofSeconds(60);
  private static final Iova AT = new Iova(0x1234_5000L);

  private final MemorySegment data = Arena.ofAuto().allocate(64);

  private CompletableFuture<Void> read() {
    return CompletableFuture.runAsync(() -> session.clientMemory().read(AT, data, LONG));
  }

  private void assertFails(CompletableFuture<Void> request, Errno errno) {
    assertThatThrownBy(request::join)
        .isInstanceOf(CompletionException.class)
        .cause()
        .isInstanceOfSatisfying(
            RefusedException.class, e -> assertThat(e.errno()).isEqualTo(errno));
    assertGoesOn();
  }

  @Test
  void read_answeredWithAnError_isThatError() {
    CompletableFuture<Void> request = read();
    try (RawClient.Message asked = client.receive()) {
      client.sendRaw(header(asked.id(), 11, 16, 0x21, Errno.ENODEV.number()));
    }
    assertFails(request, Errno.ENODEV);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 8, 16, 79, 81})
  void read_answeredWithAWrongLength_eproto(int bytes) {
    CompletableFuture<Void> request = read();
    try (RawClient.Message asked = client.receive()) {
      client.sendRaw(body(header(asked.id(), 11, 16 + bytes, 1, 0), new byte[bytes]));
    }
    assertFails(request, Errno.EPROTO);
  }

  @Test
  void read_answeredForAnotherAddress_eproto() {
    CompletableFuture<Void> request = read();
    try (RawClient.Message asked = client.receive()) {
      client.sendRaw(body(header(asked.id(), 11, 96, 1, 0), 0L, 64L, new byte[64]));
    }
    assertFails(request, Errno.EPROTO);
  }

  @Test
  void read_answeredUnderAnotherIdOrCommand_goesOnWaiting() {
    CompletableFuture<Void> request = read();
    try (RawClient.Message asked = client.receive()) {
      byte[] answer = body(AT.value(), 64L, new byte[64]);
      client.sendRaw(body(header(asked.id() + 1, 11, 96, 1, 0), answer));
      client.sendRaw(body(header(asked.id(), 12, 96, 1, 0), answer));
      assertGoesOn();
      assertThat(request.isDone()).isFalse();
      client.sendRaw(body(header(asked.id(), 11, 96, 1, 0), answer));
    }
    request.join();
  }

  @Test
  void read_notAnswered_etimedout() {
    assertThatThrownBy(() -> session.clientMemory().read(AT, data, Duration.ofMillis(1)))
        .isInstanceOfSatisfying(
            RefusedException.class, e -> assertThat(e.errno()).isEqualTo(Errno.ETIMEDOUT));
    try (RawClient.Message asked = client.receive()) {
      client.sendRaw(body(header(asked.id(), 11, 96, 1, 0), AT.value(), 64L, new byte[64]));
    }
    assertGoesOn(); // the late answer was dropped
  }

  @Test
  void read_whenThePeerGoes_enotconn() {
    CompletableFuture<Void> request = read();
    client.receive().close();
    client.close();
    assertThatThrownBy(request::join)
        .cause()
        .isInstanceOfSatisfying(
            RefusedException.class, e -> assertThat(e.errno()).isEqualTo(Errno.ENOTCONN));
  }

  @Test
  void read_answered_givesTheData() {
    CompletableFuture<Void> request = read();
    try (RawClient.Message asked = client.receive()) {
      assertThat(asked.command()).isEqualTo(11);
      assertThat(asked.flags()).isZero();
      assertThat(asked.body().getLong(0)).isEqualTo(AT.value());
      assertThat(asked.body().getLong(8)).isEqualTo(64);
      byte[] answer = new byte[64];
      answer[63] = 42;
      assertGoesOn(); // requests of the client are served meanwhile
      client.sendRaw(body(header(asked.id(), 11, 96, 1, 0), AT.value(), 64L, answer));
    }
    request.join();
    assertThat(data.get(ValueLayout.JAVA_BYTE, 63)).isEqualTo((byte) 42);
  }

  @Test
  void write_ofMoreThanAMessageCarries_isSeveral() {
    MemorySegment large = Arena.ofAuto().allocate(Limits.MAX_DATA_BYTES + 1);
    large.set(ValueLayout.JAVA_BYTE, Limits.MAX_DATA_BYTES, (byte) 7);
    CompletableFuture<Void> request =
        CompletableFuture.runAsync(() -> session.clientMemory().write(AT, large, LONG));
    try (RawClient.Message first = client.receive()) {
      assertThat(first.body().getLong(8)).isEqualTo(Limits.MAX_DATA_BYTES);
      client.sendRaw(
          body(header(first.id(), 12, 32, 1, 0), AT.value(), (long) Limits.MAX_DATA_BYTES));
    }
    try (RawClient.Message second = client.receive()) {
      long address = AT.value() + Limits.MAX_DATA_BYTES;
      assertThat(second.body().getLong(0)).isEqualTo(address);
      assertThat(second.body().getLong(8)).isEqualTo(1);
      assertThat(second.body().get(16)).isEqualTo((byte) 7);
      client.sendRaw(body(header(second.id(), 12, 32, 1, 0), address, 1L));
    }
    request.join();
  }

  private void writeInVain() {
    assertThatThrownBy(() -> session.clientMemory().write(AT, data, Duration.ofMillis(1)))
        .isInstanceOfSatisfying(
            RefusedException.class, e -> assertThat(e.errno()).isEqualTo(Errno.ETIMEDOUT));
  }

  @Test
  void awaitWrites_ofAWriteThatWasGivenUp_waitsForItsAnswer() {
    writeInVain();
    CompletableFuture<Void> waiting =
        CompletableFuture.runAsync(() -> session.clientMemory().awaitWrites());
    try (RawClient.Message asked = client.receive()) {
      assertGoesOn();
      assertThat(waiting.isDone()).isFalse();
      client.sendRaw(body(header(asked.id(), 12, 32, 1, 0), AT.value(), 64L));
    }
    waiting.join();
  }

  @Test
  void awaitWrites_whenThePeerGoes_ends() {
    writeInVain();
    CompletableFuture<Void> waiting =
        CompletableFuture.runAsync(() -> session.clientMemory().awaitWrites());
    client.receive().close();
    assertThat(waiting.isDone()).isFalse();
    client.close();
    waiting.join();
  }

  @Test
  void awaitWrites_ofAReadThatWasGivenUp_doesNotWait() {
    assertThatThrownBy(() -> session.clientMemory().read(AT, data, Duration.ofMillis(1)))
        .isInstanceOf(RefusedException.class);
    session.clientMemory().awaitWrites();
    client.receive().close();
  }

  /** Each of them is told to the client, which reads and says nothing. */
  @Test
  void write_toAClientThatAnswersNone_isRefusedInTheEnd() {
    for (int asked = 0; asked < 1024; asked++) {
      assertThat(writeErrno()).isEqualTo(Errno.ETIMEDOUT);
      client.receive().close();
    }
    assertThat(writeErrno()).isEqualTo(Errno.EBUSY);
    assertGoesOn();
  }

  private Errno writeErrno() {
    try {
      session.clientMemory().write(AT, data, Duration.ZERO);
    } catch (RefusedException e) {
      return e.errno();
    }
    throw new AssertionError("nobody has answered");
  }
}
