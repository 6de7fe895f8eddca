package io.sluice.guest;

/**
 * A buffer that is wanted.
 *
 * @param kind where
 * @param sizeBytes a multiple of 4096 in this process' memory
 */
public record BufferRequest(Kind kind, long sizeBytes) {
  /** The place of a buffer. */
  public enum Kind {
    /** In video memory. */
    VIDEO,
    /** In this process' memory. */
    PROCESS
  }

  /** One in video memory. */
  public static BufferRequest video(long sizeBytes) {
    return new BufferRequest(Kind.VIDEO, sizeBytes);
  }

  /** One in this process' memory. */
  public static BufferRequest process(long sizeBytes) {
    return new BufferRequest(Kind.PROCESS, sizeBytes);
  }
}
