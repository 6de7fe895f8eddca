package io.sluice.vdevice.protocol;

/**
 * The abilities that the client announced, bounded by what this server sends.
 *
 * @param maxMessageFds descriptors it takes in one message, 0 to 16
 * @param maxDataBytes bytes it takes in one DMA_READ or DMA_WRITE
 * @param writeMultiple it knows REGION_WRITE_MULTI
 */
public record ClientCapabilities(int maxMessageFds, int maxDataBytes, boolean writeMultiple) {
  /** What a client that says nothing can take, by the specification; then bounded as above. */
  public static final ClientCapabilities DEFAULT =
      new ClientCapabilities(1, Limits.MAX_DATA_BYTES, false);
}
