package io.sluice.vdevice.dma;

import io.sluice.abi.Errno;
import io.sluice.abi.Iova;
import io.sluice.abi.RefusedException;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.vdevice.protocol.ClientCapabilities;
import io.sluice.vdevice.protocol.DeviceCode;
import io.sluice.vdevice.protocol.Limits;
import io.sluice.vdevice.protocol.MessageWriter;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Guest memory as the client gives it by message, once it has negotiated. Any thread but the
 * connection's own, which takes the answers, may ask.
 */
public final class ClientMemory implements AutoCloseable {
  private final DmaTable dma;
  private final Arena requestArena = Arena.ofShared();

  private volatile @Nullable DmaRequests requests; // once negotiated
  private volatile ClientCapabilities negotiated = ClientCapabilities.DEFAULT;

  /**
   * @param dma what the client shares without being asked
   */
  public ClientMemory(DmaTable dma) {
    this.dma = dma;
  }

  /** The client has negotiated: from here on requests of ours can be sent. */
  public void attach(ClientCapabilities client, Kernel kernel, Fd socket, ReentrantLock sendLock) {
    negotiated = client;
    MessageWriter writer = new MessageWriter(kernel, socket, sendLock, requestArena);
    requests = new DmaRequests(writer, client.maxDataBytes(), requestArena::close);
  }

  /** What the client can; defaults until it has said so. */
  public ClientCapabilities negotiated() {
    return negotiated;
  }

  /** Takes a reply to a request of ours; false when nobody waits for it. */
  public boolean reply(int id, int command, int errno, MemorySegment body, int bytes) {
    DmaRequests asked = requests;
    return asked != null && asked.complete(id, command, errno, body, bytes);
  }

  /**
   * Reads guest memory.
   *
   * @throws RefusedException ENOTCONN before the client has negotiated; or as the client answers
   */
  public void read(Iova address, MemorySegment into, Duration timeout) {
    requests().read(address, into, timeout);
  }

  /** Writes guest memory; refused as {@link #read} is. */
  public void write(Iova address, MemorySegment from, Duration timeout) {
    requests().write(address, from, timeout);
  }

  /** Has the client see a write to each page of a range, which changes nothing. */
  public void touch(Iova first, long bytes, Duration timeout) {
    byte[] one = new byte[1];
    MemorySegment segment = MemorySegment.ofArray(one);
    requests()
        .writeBytes(
            first,
            Limits.PAGE_BYTES,
            bytes / Limits.PAGE_BYTES,
            address -> {
              dma.read(new Iova(address), segment);
              return one[0];
            },
            timeout);
  }

  /** Waits until the client does no write of ours any more, or is gone. */
  public void awaitWrites() {
    DmaRequests asked = requests;
    if (asked != null) {
      asked.awaitWrites();
    }
  }

  private DmaRequests requests() {
    DmaRequests asked = requests;
    if (asked == null) {
      throw new RefusedException(
          DeviceCode.NOT_NEGOTIATED, Errno.ENOTCONN, "the client has not negotiated yet", "");
    }
    return asked;
  }

  @Override
  public void close() {
    DmaRequests asked = requests;
    if (asked != null) {
      asked.close();
    } else {
      requestArena.close();
    }
  }
}
