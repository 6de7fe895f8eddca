package io.sluice.abi.relay;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.Structs;
import org.junit.jupiter.api.Test;

/** The relay's messages as docs/relay-protocol.md and the library's header have them. */
final class RelayLayoutTest {
  @Test
  void layouts_areAsTheProtocolSays() {
    assertThat(Structs.ofPackage(RelayRequest.class).values().stream().map(Structs::describe))
        .containsExactly(
            "relay_node 40: name@0:30 kind@30:4 major@34:4 minor@38:4 mode@3c:4",
            "relay_reply 20: bytes@0:4 error@4:4 file@8:4 value@c:4 address@10:8 length@18:8",
            "relay_request 20: bytes@0:4 op@4:4 file@8:4 argument@c:4 address@10:8 length@18:8",
            "relay_shape 18: kind@0:4 key@4:4 bytes@8:4 offset@c:4 count@10:4 element@14:4");
  }
}
