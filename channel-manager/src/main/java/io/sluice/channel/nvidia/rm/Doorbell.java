package io.sluice.channel.nvidia.rm;

import io.sluice.abi.Layouts;
import io.sluice.abi.rm.RmClass;
import io.sluice.abi.rm.UsermodePage;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.Mapping;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.random.RandomGenerator;

/**
 * The doorbell page, which also shows GPU time. It belongs to a client that owns nothing else:
 * guests are handed its descriptor, and any client's page rings any channel of the card.
 */
public final class Doorbell implements AutoCloseable {
  private static final VarHandle WORD = Layouts.U32.varHandle();

  private final RmClient client;
  private final Fd fd;
  private final Mapping mapping;

  private Doorbell(RmClient client, Fd fd, Mapping mapping) {
    this.client = client;
    this.fd = fd;
    this.mapping = mapping;
  }

  public static Doorbell open(
      RmPort port, Kernel kernel, RmDriver driver, RmCard card, RandomGenerator random) {
    RmClient client = RmClient.open(port, driver, card, random);
    boolean complete = false;
    try {
      int page = client.alloc(client.subdevice(), RmClass.HOPPER_USERMODE_A);
      Fd fd = client.mappable(client.subdevice(), page, UsermodePage.MAPPED_BYTES);
      try {
        int protection = Kernel.PROT_READ | Kernel.PROT_WRITE;
        Mapping mapping = kernel.mmap(fd, 0, UsermodePage.MAPPED_BYTES, protection);
        complete = true;
        return new Doorbell(client, fd, mapping);
      } finally {
        if (!complete) {
          fd.close();
        }
      }
    } finally {
      if (!complete) {
        client.close();
      }
    }
  }

  /** Stays ours; {@link UsermodePage#MAPPED_BYTES} of it can be mapped, no more and no less. */
  public Fd fd() {
    return fd;
  }

  /** The page, for those who ring by themselves. */
  public MemorySegment page() {
    return mapping.segment();
  }

  /** Has the GPU look at a channel. What it is to see must have been stored before a fence. */
  public void ring(int token) {
    WORD.setOpaque(mapping.segment(), UsermodePage.DOORBELL, token);
  }

  /** GPU time in nanoseconds. */
  public long timeNs() {
    int high;
    int low;
    int again = time(UsermodePage.TIME_HIGH);
    do {
      high = again;
      low = time(UsermodePage.TIME_LOW);
      again = time(UsermodePage.TIME_HIGH);
    } while (high != again);
    return (long) high << 32 | Integer.toUnsignedLong(low);
  }

  private int time(long offset) {
    return (int) WORD.getOpaque(mapping.segment(), offset);
  }

  @Override
  public void close() {
    mapping.close();
    fd.close();
    client.close();
  }
}
