package io.sluice.vdevice;

import io.sluice.abi.Errno;
import io.sluice.abi.RefusedException;
import io.sluice.abi.vfio.DeviceFeature;
import io.sluice.abi.vfio.DmaLoggingControl;
import io.sluice.abi.vfio.DmaLoggingRange;
import io.sluice.abi.vfio.DmaLoggingReport;
import io.sluice.abi.vfio.MigState;
import io.sluice.abi.vfio.MigrationFeature;
import io.sluice.vdevice.dma.DmaLog;
import io.sluice.vdevice.protocol.DeviceCode;
import io.sluice.vdevice.protocol.Limits;
import io.sluice.vdevice.protocol.Request;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * DEVICE_FEATURE: what is offered, and what it does. A feature that is not offered is ENOTTY; one
 * that cannot be used so, EINVAL.
 */
final class DeviceFeatures {
  /** The action on a feature; its data begin behind the head. */
  private interface Action {
    /** Returns the length of the reply's data. */
    int run(Request.DeviceFeature request, MemorySegment reply);
  }

  /** A feature: null for what cannot be done to it. */
  private record Feature(@Nullable Action get, @Nullable Action set) {}

  private static final int HEAD = (int) DeviceFeature.SIZE;

  private final @Nullable ClientMigration migration;
  private final @Nullable DmaLog log;

  /**
   * @param migration null when it is not offered
   * @param log null when the GPU does not know what it writes
   */
  DeviceFeatures(@Nullable ClientMigration migration, @Nullable DmaLog log) {
    this.migration = migration;
    this.log = log;
  }

  /**
   * Does what a request asks.
   *
   * @param body of the request
   * @param reply its body
   * @return length of the reply's body
   */
  int run(Request.DeviceFeature request, MemorySegment body, MemorySegment reply) {
    Feature feature = feature(request.feature());
    if (feature == null) {
      throw new RefusedException(
          DeviceCode.NO_FEATURE,
          Errno.ENOTTY,
          "device feature is not offered, feature=" + request.feature(),
          "");
    }
    Action get = feature.get();
    Action set = feature.set();
    if (request.get() && get == null || request.set() && set == null) {
      throw refused("feature cannot be used so, feature=" + request.feature());
    }
    MemorySegment.copy(body, 0, reply, 0, HEAD + (long) request.data().byteSize());
    if (request.probe()) {
      return HEAD + (int) request.data().byteSize();
    }
    Action action = request.get() ? get : set;
    if (action == null) {
      throw new AssertionError(request);
    }
    int bytes = HEAD + action.run(request, reply);
    DeviceFeature.ARGSZ.setBits(reply, bytes);
    return bytes;
  }

  private @Nullable Feature feature(int number) {
    ClientMigration moving = migration;
    DmaLog logging = log;
    return switch (number) {
      case DeviceFeature.MIGRATION ->
          moving == null ? null : new Feature(DeviceFeatures::flags, null);
      case DeviceFeature.MIG_DEVICE_STATE ->
          moving == null
              ? null
              : new Feature(
                  (request, reply) -> state(moving, request, reply),
                  (request, reply) -> setState(moving, request, reply));
      case DeviceFeature.DMA_LOGGING_START ->
          logging == null
              ? null
              : new Feature(
                  null,
                  (request, reply) -> {
                    if (moving != null) {
                      moving.admit();
                    }
                    return start(logging, request, reply);
                  });
      case DeviceFeature.DMA_LOGGING_STOP ->
          logging == null
              ? null
              : new Feature(
                  null,
                  (request, _) -> {
                    logging.stop();
                    return (int) request.data().byteSize();
                  });
      case DeviceFeature.DMA_LOGGING_REPORT ->
          logging == null
              ? null
              : new Feature((request, reply) -> report(logging, request, reply), null);
      default -> null;
    };
  }

  // ---- migration ----

  private static int flags(Request.DeviceFeature request, MemorySegment reply) {
    room(request, MigrationFeature.SIZE);
    MigrationFeature.FLAGS.set(reply, HEAD, MigrationFeature.STOP_COPY | MigrationFeature.PRE_COPY);
    return (int) MigrationFeature.SIZE;
  }

  private static int state(
      ClientMigration migration, Request.DeviceFeature request, MemorySegment reply) {
    room(request, MigState.SIZE);
    MigState.DEVICE_STATE.setBits(reply, HEAD, migration.state().number());
    MigState.DATA_FD.setBits(reply, HEAD, -1);
    return (int) MigState.SIZE;
  }

  private static int setState(
      ClientMigration migration, Request.DeviceFeature request, MemorySegment reply) {
    data(request, MigState.SIZE);
    room(request, MigState.SIZE);
    migration.set(MigState.DEVICE_STATE.bits(request.data()));
    MigState.DATA_FD.setBits(reply, HEAD, -1);
    return (int) MigState.SIZE;
  }

  // ---- the log ----

  private static int start(DmaLog log, Request.DeviceFeature request, MemorySegment reply) {
    long pageBytes = dataAtLeast(request, DmaLoggingControl.SIZE);
    MemorySegment data = request.data();
    long count = DmaLoggingControl.NUM_RANGES.get(data);
    if (count > Limits.MAX_LOGGED_RANGES
        || data.byteSize() != DmaLoggingControl.SIZE + count * DmaLoggingRange.SIZE) {
      throw refused("ranges do not fit the data, ranges=" + count);
    }
    powerOfTwo(pageBytes);
    room(request, data.byteSize());
    List<DmaLog.LoggedRange> ranges = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      long at = DmaLoggingControl.SIZE + i * DmaLoggingRange.SIZE;
      ranges.add(range(DmaLoggingRange.IOVA.get(data, at), DmaLoggingRange.LENGTH.get(data, at)));
    }
    log.start(ranges);
    DmaLoggingControl.PAGE_SIZE.set(reply, HEAD, Limits.PAGE_BYTES);
    return (int) data.byteSize();
  }

  private static int report(DmaLog log, Request.DeviceFeature request, MemorySegment reply) {
    data(request, DmaLoggingReport.SIZE);
    MemorySegment data = request.data();
    long iova = DmaLoggingReport.IOVA.get(data);
    long length = DmaLoggingReport.LENGTH.get(data);
    long pageBytes = DmaLoggingReport.PAGE_SIZE.get(data);
    DmaLog.LoggedRange _ = range(iova, length);
    powerOfTwo(pageBytes);
    long lastBit = Long.divideUnsigned(length - 1, pageBytes);
    if (Long.compareUnsigned(lastBit, Limits.MAX_REPORT_BYTES * 8L) >= 0) {
      throw refused("a range of too many pages, bytes=" + Long.toUnsignedString(length));
    }
    long bytes = (lastBit / Long.SIZE + 1) * Long.BYTES;
    room(request, DmaLoggingReport.SIZE + bytes);
    MemorySegment bitmap = reply.asSlice(HEAD + DmaLoggingReport.SIZE, bytes);
    bitmap.fill((byte) 0);
    log.report(iova, length, pageBytes, bitmap);
    return (int) (DmaLoggingReport.SIZE + bytes);
  }

  private static DmaLog.LoggedRange range(long iova, long length) {
    long last = iova + length - 1;
    if (length == 0 || Long.compareUnsigned(last, iova) < 0) {
      throw refused("a range is empty or wraps around");
    }
    return new DmaLog.LoggedRange(iova, last);
  }

  // ---- checks ----

  private static void powerOfTwo(long pageBytes) {
    if (pageBytes <= 0 || Long.bitCount(pageBytes) != 1) {
      throw refused("a page of " + Long.toUnsignedString(pageBytes) + " bytes");
    }
  }

  /** The first word of data that must be there. */
  private static long dataAtLeast(Request.DeviceFeature request, long bytes) {
    if (request.data().byteSize() < bytes) {
      throw refused("too few data, bytes=" + request.data().byteSize());
    }
    return DmaLoggingControl.PAGE_SIZE.get(request.data());
  }

  private static void data(Request.DeviceFeature request, long bytes) {
    if (request.data().byteSize() != bytes) {
      throw refused("data of another length, bytes=" + request.data().byteSize());
    }
  }

  private static void room(Request.DeviceFeature request, long dataBytes) {
    if (request.replyBytes() < HEAD + dataBytes) {
      throw refused("argsz is too small for the reply, argsz=" + request.replyBytes());
    }
  }

  private static RefusedException refused(String what) {
    return new RefusedException(DeviceCode.FEATURE, Errno.EINVAL, what, "");
  }
}
