package io.sluice.vdevice;

import io.sluice.abi.Errno;
import io.sluice.abi.RefusedException;
import io.sluice.abi.SyscallException;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.vfio.RegionAccess;
import io.sluice.abi.vfio.VfioUserHeader;
import io.sluice.abi.vfio.WriteMulti;
import io.sluice.vdevice.pci.DeviceIrqs;
import io.sluice.vdevice.pci.DeviceRegion;
import io.sluice.vdevice.protocol.ClientCapabilities;
import io.sluice.vdevice.protocol.Command;
import io.sluice.vdevice.protocol.Limits;
import io.sluice.vdevice.protocol.MessageReader;
import io.sluice.vdevice.protocol.MessageWriter;
import io.sluice.vdevice.protocol.Request;
import io.sluice.vdevice.protocol.RequestDecoder;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * One client's connection: receives messages, checks them, has them done and answers them, one
 * after the other, on one platform thread.
 *
 * <p>A message that is refused is answered with its error and the connection goes on, unless the
 * stream itself can no longer be believed: a size that cannot be, or anything before VERSION.
 * Whatever descriptors a message brought and nobody took are closed.
 *
 * <p>REGION_READ and REGION_WRITE allocate nothing.
 */
final class Connection {
  private static final Logger LOG = LoggerFactory.getLogger(Connection.class);

  /**
   * How often somebody who waits for a client to speak looks whether it is to pause. Every guest's
   * thread wakes up for it, all the time; a client that moves only begins to a little later.
   */
  private static final int PAUSE_LOOK_MS = 1000;

  private static final int KNOWN_FLAGS =
      VfioUserHeader.TYPE_MASK | VfioUserHeader.FLAG_NO_REPLY | VfioUserHeader.FLAG_ERROR;

  private static final int REFUSED = -Errno.EINVAL.number();

  private final Kernel kernel;
  private final Fd socket;
  private final DeviceSession device;
  private final DeviceCounters.Live counters;
  private final ReentrantLock sendLock = new ReentrantLock();
  private final MessageReader reader;
  private final MessageWriter writer;
  private List<Fd> replyFds = List.of();
  private boolean negotiated;

  /**
   * @param foreign has the custody of the descriptors that come
   * @param arena of the thread that calls {@link #serve}
   */
  Connection(
      Kernel kernel,
      Fd socket,
      UnaryOperator<Fd> foreign,
      DeviceSession device,
      DeviceCounters.Live counters,
      Arena arena) {
    this.kernel = kernel;
    this.socket = socket;
    this.device = device;
    this.counters = counters;
    reader = new MessageReader(kernel, socket, foreign, arena);
    writer = new MessageWriter(kernel, socket, sendLock, arena);
  }

  /** The client was taken over from another daemon, with whom it had negotiated. */
  void resume(ClientCapabilities client) {
    device.clientMemory().attach(client, kernel, socket, sendLock);
    negotiated = true;
  }

  /**
   * Serves until the client goes away, misbehaves beyond repair, or the socket is shut down; or
   * until it is to pause.
   *
   * @param pause asked between messages, once a second at least
   * @return whether it pauses: the client is there, and no message is half done
   */
  boolean serve(BooleanSupplier pause) {
    kernel.setReceiveTimeout(socket, PAUSE_LOOK_MS);
    try {
      boolean open = true;
      boolean pausing = false;
      while (open) {
        MessageReader.Received received = reader.awaitHeader(!pausing);
        if (received == MessageReader.Received.HEADER) {
          open = message();
          reader.fds().closeAll();
        } else if (received == MessageReader.Received.END) {
          return false;
        }
        pausing = open && pause.getAsBoolean();
        if (pausing && !reader.hasMore()) {
          return negotiated;
        }
      }
    } catch (SyscallException e) {
      LOG.atDebug().addKeyValue("guest", device.name()).log("connection lost", e);
    } finally {
      reader.close();
    }
    return false;
  }

  /** Handles the message whose header has been received; false ends the connection. */
  private boolean message() {
    MemorySegment header = reader.header();
    int id = VfioUserHeader.MSG_ID.get(header);
    int code = VfioUserHeader.CMD.get(header);
    long size = VfioUserHeader.MSG_SIZE.get(header);
    int flags = VfioUserHeader.FLAGS.bits(header);
    boolean wantsReply = (flags & VfioUserHeader.FLAG_NO_REPLY) == 0;
    counters.message();

    if (size < VfioUserHeader.SIZE || size > VfioUserHeader.SIZE + Limits.MAX_BODY_BYTES) {
      // Where the next message starts cannot be known.
      refuse(id, code, true, Errno.EINVAL, "message size, bytes=" + size);
      return false;
    }
    int bytes = (int) (size - VfioUserHeader.SIZE);
    if ((flags & VfioUserHeader.TYPE_MASK) == VfioUserHeader.TYPE_REPLY) {
      return reply(id, code, flags, bytes);
    }
    Command command = Command.of(code);
    Errno problem = problem(command, flags, bytes);
    if (command == null || problem != null) {
      boolean whole = reader.readBody(bytes);
      Errno errno = problem == null ? Errno.ENOSYS : problem;
      refuse(id, code, wantsReply, errno, "message, command=" + code + ", bytes=" + bytes);
      return whole && negotiated;
    }
    if (!reader.readBody(bytes)) {
      return false;
    }
    counters.command(command);
    replyFds = List.of();
    int result = handle(command, bytes);
    if (result < 0) {
      counters.refused();
    }
    if (wantsReply) {
      answer(id, code, result);
    }
    device.afterMessage();
    return negotiated;
  }

  /** What is wrong with a message by its header alone; null when nothing is. */
  private @Nullable Errno problem(@Nullable Command command, int flags, int bytes) {
    if ((flags & ~KNOWN_FLAGS) != 0
        || (flags & VfioUserHeader.TYPE_MASK) != VfioUserHeader.TYPE_COMMAND
        || (flags & VfioUserHeader.FLAG_ERROR) != 0) {
      return Errno.EINVAL;
    }
    if (command == null) {
      return Errno.ENOSYS;
    }
    if (negotiated == (command == Command.VERSION)) {
      return Errno.EINVAL;
    }
    if (!command.allowsBody(bytes) || reader.fds().size() > command.maxFds()) {
      return Errno.EINVAL;
    }
    return null;
  }

  private void refuse(int id, int code, boolean wantsReply, Errno errno, String what) {
    counters.refused();
    device.log().at(LOG, Level.INFO).addKeyValue("error", errno).log("refused {}", what);
    if (wantsReply) {
      writer.error(id, code, errno);
    }
  }

  /** A reply to a command of ours; one that nobody waits for is dropped, never answered. */
  private boolean reply(int id, int code, int flags, int bytes) {
    if (!reader.readBody(bytes)) {
      return false;
    }
    int errno = 0;
    if ((flags & VfioUserHeader.FLAG_ERROR) != 0) {
      int given = VfioUserHeader.ERROR_NO.bits(reader.header());
      errno = given > 0 ? given : Errno.EIO.number();
    }
    if (!device.clientMemory().reply(id, code, errno, reader.body(), bytes)) {
      counters.refused();
    }
    return negotiated;
  }

  private void answer(int id, int code, int result) {
    if (result < 0) {
      writer.error(id, code, -result);
    } else {
      writer.reply(id, code, result, replyFds);
    }
  }

  /**
   * Does what a message asks, and builds the reply, which is sent later: what fails here is the
   * command.
   *
   * @return length of the reply's body; or, when it is refused, the error number, negative
   */
  private int handle(Command command, int bytes) {
    try {
      return switch (command) {
        case REGION_READ -> regionRead();
        case REGION_WRITE -> regionWrite(bytes);
        case REGION_WRITE_MULTI -> writeMulti(bytes);
        default ->
            control(RequestDecoder.decode(command, reader.body(), bytes, reader.fds().size()));
      };
    } catch (RefusedException e) {
      device
          .log()
          .at(LOG, Level.INFO)
          .addKeyValue("command", command)
          .log("refused: {} {}", e.getMessage(), e.remedy());
      return -e.errno().number();
    } catch (SyscallException e) {
      device.log().at(LOG, Level.WARN).addKeyValue("command", command).log("failed", e);
      return -e.errno();
    } catch (RuntimeException | AssertionError e) {
      // A bug of ours; the next message may well work.
      device.log().at(LOG, Level.ERROR).addKeyValue("command", command).log("failed", e);
      return -Errno.EIO.number();
    }
  }

  // ---- the data path ----

  private int regionRead() {
    MemorySegment body = reader.body();
    long offset = RegionAccess.OFFSET.get(body);
    int index = RegionAccess.REGION.bits(body);
    long count = RegionAccess.COUNT.get(body);
    DeviceRegion region = device.region(index);
    if (region == null || !isInside(region, offset, count)) {
      return REFUSED;
    }
    MemorySegment answer = writer.body();
    RegionAccess.OFFSET.set(answer, offset);
    RegionAccess.REGION.setBits(answer, index);
    RegionAccess.COUNT.set(answer, count);
    region.read(offset, answer, RegionAccess.SIZE, (int) count);
    return (int) (RegionAccess.SIZE + count);
  }

  private int regionWrite(int bytes) {
    MemorySegment body = reader.body();
    long offset = RegionAccess.OFFSET.get(body);
    int index = RegionAccess.REGION.bits(body);
    long count = RegionAccess.COUNT.get(body);
    DeviceRegion region = device.region(index);
    if (region == null || !isInside(region, offset, count) || bytes - RegionAccess.SIZE != count) {
      return REFUSED;
    }
    region.write(offset, body, RegionAccess.SIZE, (int) count);
    MemorySegment answer = writer.body();
    RegionAccess.OFFSET.set(answer, offset);
    RegionAccess.REGION.setBits(answer, index);
    RegionAccess.COUNT.set(answer, count);
    return (int) RegionAccess.SIZE;
  }

  /** All writes are checked before the first is done. */
  private int writeMulti(int bytes) {
    MemorySegment body = reader.body();
    long writes = WriteMulti.WR_CNT.get(body);
    if (writes < 0
        || writes > Limits.MAX_MULTI_WRITES
        || bytes != WriteMulti.SIZE + writes * WriteMulti.ENTRY_SIZE) {
      return REFUSED;
    }
    for (int i = 0; i < writes; i++) {
      long entry = WriteMulti.SIZE + i * WriteMulti.ENTRY_SIZE;
      long count = RegionAccess.COUNT.get(body, entry);
      DeviceRegion region = device.region(RegionAccess.REGION.bits(body, entry));
      if (region == null
          || count > 8
          || !isInside(region, RegionAccess.OFFSET.get(body, entry), count)) {
        return REFUSED;
      }
    }
    for (int i = 0; i < writes; i++) {
      long entry = WriteMulti.SIZE + i * WriteMulti.ENTRY_SIZE;
      DeviceRegion region = device.region(RegionAccess.REGION.bits(body, entry));
      if (region != null) {
        region.write(
            RegionAccess.OFFSET.get(body, entry),
            body,
            entry + RegionAccess.SIZE,
            (int) RegionAccess.COUNT.get(body, entry));
      }
    }
    WriteMulti.WR_CNT.set(writer.body(), writes);
    return (int) WriteMulti.SIZE;
  }

  private static boolean isInside(DeviceRegion region, long offset, long count) {
    return count > 0
        && count <= Limits.MAX_DATA_BYTES
        && offset >= 0
        && offset <= region.sizeBytes() - count;
  }

  // ---- everything else ----

  private void map(Request.DmaMap map) {
    boolean hasFd = reader.fds().size() > 0;
    device.dma().map(map, hasFd ? reader.fds().get(0) : null);
    if (hasFd) {
      reader.fds().take(); // the table's now
    }
  }

  private int control(Request request) {
    MemorySegment body = writer.body();
    return switch (request) {
      case Request.Version version -> {
        device.clientMemory().attach(version.capabilities(), kernel, socket, sendLock);
        negotiated = true;
        yield Replies.version(body, version);
      }
      case Request.DmaMap map -> {
        map(map);
        yield 0;
      }
      case Request.DmaUnmap unmap -> {
        device.unmap(unmap);
        yield Replies.unmap(body, reader.body());
      }
      case Request.GetInfo _ -> Replies.info(body);
      case Request.GetRegionInfo get -> {
        DeviceRegion region = device.regionOrRefuse(get.index());
        replyFds = Replies.regionFds(region, get);
        yield Replies.regionInfo(body, region, get);
      }
      case Request.GetRegionIoFds get -> {
        device.regionOrRefuse(get.index());
        yield Replies.regionIoFds(body, get);
      }
      case Request.GetIrqInfo get -> Replies.irqInfo(body, get, DeviceIrqs.count(get.index()));
      case Request.SetIrqs set -> {
        device.interrupts().set(set, reader.fds());
        yield 0;
      }
      case Request.Reset _ -> {
        device.reset();
        yield 0;
      }
      case Request.DeviceFeature feature -> device.features().run(feature, reader.body(), body);
      case Request.MigrationRead read -> Replies.migrationData(body, device.migration(), read);
      case Request.MigrationWrite write -> {
        device.migration().write(write.data());
        yield 0;
      }
    };
  }
}
