package io.sluice.testbed.architecture;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

/** The places that do not keep the rules yet. The lists only shrink: nothing is added. */
final class Exceptions {
  /** Packages with a cycle of too many classes. */
  static final Set<String> CYCLES =
      Set.of(
          "io.sluice.channel.nvidia.channel",
          "io.sluice.channel.nvidia.memory",
          "io.sluice.channel.pscnv",
          "io.sluice.channel.record",
          "io.sluice.gpu",
          "io.sluice.guest",
          "io.sluice.sluicectl");

  /** Simple names that stand twice. */
  static final Set<String> NAMES =
      Set.of(
          "AddressSpace",
          "Channel",
          "ChannelError",
          "ChannelLife",
          "ChannelRecord",
          "Extent",
          "GuestDevice",
          "Interrupts",
          "Ring",
          "Scratch",
          "Window");

  /** Packages of too many files. */
  static final Set<String> CROWDED =
      Set.of(
          "io.sluice.abi.rm",
          "io.sluice.channel",
          "io.sluice.channel.nvidia",
          "io.sluice.daemon",
          "io.sluice.gpu.sm",
          "io.sluice.vdevice");

  /** Simple names of types whose comments ask. */
  static final Set<String> COMMENTS = lines("comments-that-ask.txt");

  private Exceptions() {}

  private static Set<String> lines(String resource) {
    try (InputStream in = Exceptions.class.getResourceAsStream(resource)) {
      String text =
          new String(Objects.requireNonNull(in, resource).readAllBytes(), StandardCharsets.UTF_8);
      return text.lines().collect(Collectors.toUnmodifiableSet());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
