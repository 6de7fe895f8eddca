package io.sluice.vdevice.state;

import com.google.common.collect.ImmutableList;
import io.sluice.abi.Errno;
import io.sluice.abi.FieldReader;
import io.sluice.abi.FieldWriter;
import io.sluice.abi.RefusedException;
import io.sluice.channel.record.Section;
import io.sluice.vdevice.protocol.ClientCapabilities;
import io.sluice.vdevice.protocol.DeviceCode;
import io.sluice.vdevice.protocol.Limits;
import java.nio.ByteBuffer;

/**
 * A device session for another daemon of this host, but its files: those come in an order that this
 * tells.
 *
 * <pre>
 *  u32 version (2)   client: u32 fds, u32 data bytes, u32 multi   u32 generation
 *  u32 whether video memory is a file
 *  u64 vectors that have an eventfd
 *  u32 n, maps: u64 iova, u64 bytes, u64 file offset, u32 writable, u32 has a file
 *  the device's section
 * </pre>
 *
 * <p>Files: socket, BAR 1, control pages, video memory if it is one, those of the maps, the
 * eventfds. BAR 1 in the section is of no use here: the file is the same.
 *
 * @param client what it said it can take
 * @param generation of the device
 * @param hasVideoFile whether video memory is a file
 * @param vectorFiles one bit for each vector that has an eventfd
 * @param maps guest memory, ascending
 * @param state the device
 */
public record SessionRecord(
    ClientCapabilities client,
    int generation,
    boolean hasVideoFile,
    long vectorFiles,
    ImmutableList<MapRecord> maps,
    DeviceState state) {
  private static final int VERSION = 2;
  private static final int MAP_BYTES = 32;

  /**
   * A map of guest memory.
   *
   * @param iova where the client sees it
   * @param sizeBytes its length
   * @param fileOffset where it begins in its file
   * @param writable whether the GPU may write there
   * @param hasFile whether anything stands behind it
   */
  public record MapRecord(
      long iova, long sizeBytes, long fileOffset, boolean writable, boolean hasFile) {}

  public byte[] encode() {
    Section section = state.encode();
    FieldWriter out = new FieldWriter().bits(VERSION);
    out.bits(client.maxMessageFds()).bits(client.maxDataBytes()).flag(client.writeMultiple());
    out.bits(generation).flag(hasVideoFile).u64(vectorFiles).bits(maps.size());
    for (MapRecord map : maps) {
      out.u64(map.iova()).u64(map.sizeBytes()).u64(map.fileOffset());
      out.flag(map.writable()).flag(map.hasFile());
    }
    ByteBuffer bytes = ByteBuffer.allocate(section.sizeBytes());
    section.write(bytes);
    return out.raw(bytes.flip()).toBytes();
  }

  /** EPROTO when the bytes are none. */
  public static SessionRecord decode(ByteBuffer bytes) {
    FieldReader in = new FieldReader(bytes, (_, what) -> refused(what));
    in.require(in.bits() == VERSION, "its version");
    ClientCapabilities client = new ClientCapabilities(in.bits(), in.bits(), in.flag());
    in.require(
        client.maxDataBytes() > 0 && client.maxDataBytes() <= Limits.MAX_DATA_BYTES,
        "what its client takes");
    int generation = in.bits();
    boolean videoFile = in.flag();
    long vectorFiles = in.u64();
    in.require(vectorFiles >>> Limits.MAX_VECTORS == 0, "its vectors");
    int count = in.count(Limits.MAX_DMA_MAPS, MAP_BYTES);
    ImmutableList.Builder<MapRecord> maps = ImmutableList.builder();
    for (int i = 0; i < count; i++) {
      maps.add(new MapRecord(in.u64(), in.u64(), in.u64(), in.flag(), in.flag()));
    }
    ByteBuffer rest = in.rest();
    DeviceState state = DeviceState.decode(Section.read(rest));
    in.require(!rest.hasRemaining(), "its length");
    return new SessionRecord(client, generation, videoFile, vectorFiles, maps.build(), state);
  }

  /** Files before those of the maps. */
  public int fixedFiles() {
    return hasVideoFile ? 4 : 3;
  }

  /** How many files belong to it. */
  public int files() {
    int ofMaps = (int) maps.stream().filter(MapRecord::hasFile).count();
    return fixedFiles() + ofMaps + Long.bitCount(vectorFiles);
  }

  public static void require(boolean holds, String what) {
    if (!holds) {
      throw refused(what);
    }
  }

  private static RefusedException refused(String what) {
    return new RefusedException(
        DeviceCode.SESSION,
        Errno.EPROTO,
        "a device session cannot be taken over, wrong is " + what,
        "");
  }
}
