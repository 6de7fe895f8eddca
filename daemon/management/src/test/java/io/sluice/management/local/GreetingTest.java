package io.sluice.management.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.StreamCorruptedException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

final class GreetingTest {
  @Test
  void read_cutShort_fails() {
    byte[] whole = new Greeting(true, new byte[] {1, 2, 3}).encode().array();
    for (int n = 0; n < whole.length; n++) {
      byte[] part = Arrays.copyOf(whole, n);
      assertThatThrownBy(() -> read(part)).isInstanceOf(EOFException.class);
    }
  }

  @Test
  void read_otherMagicStatusOrLength_fails() {
    byte[] magic = new Greeting(true, new byte[3]).encode().array();
    magic[7] = '2';
    byte[] status = new Greeting(true, new byte[3]).encode().array();
    status[8] = 2;
    byte[] length = new Greeting(true, new byte[3]).encode().array();
    length[9] = 1;

    for (byte[] bytes : new byte[][] {magic, status, length}) {
      assertThatThrownBy(() -> read(bytes)).isInstanceOf(StreamCorruptedException.class);
    }
  }

  @Test
  void encode_tooLong_fails() {
    Greeting greeting = new Greeting(true, new byte[Greeting.MAX_BODY_BYTES + 1]);

    assertThatThrownBy(greeting::encode).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void read_encoded_givesBoth() throws IOException {
    Greeting welcome = read(new Greeting(true, new byte[] {1, 2}).encode().array());
    Greeting refusal = read(Greeting.refusal("nö").encode().array());

    assertThat(welcome.permitted()).isTrue();
    assertThat(welcome.body()).containsExactly(1, 2);
    assertThat(refusal.permitted()).isFalse();
    assertThat(refusal.reason()).isEqualTo("nö");
    assertThat(refusal.body()).isEqualTo("nö".getBytes(StandardCharsets.UTF_8));
  }

  private static Greeting read(byte[] bytes) throws IOException {
    return Greeting.read(new ByteArrayInputStream(bytes));
  }
}
