package io.sluice.testbed.bench.submission;

import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.FdList;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.vfio.RegionAccess;
import io.sluice.abi.vfio.VersionMessage;
import io.sluice.abi.vfio.VfioUserCommand;
import io.sluice.abi.vfio.VfioUserHeader;
import io.sluice.testbed.bench.measure.Samples;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/**
 * The reading of four bytes of a region of any vfio-user server, over and over: one send, one
 * receive.
 */
final class RegisterPing implements AutoCloseable {
  private static final int HEADER = (int) VfioUserHeader.SIZE;
  private static final int REQUEST = HEADER + (int) RegionAccess.SIZE;
  private static final int REPLY = REQUEST + 4;
  private static final byte[] CAPABILITIES =
      "{\"capabilities\":{\"max_msg_fds\":8}}\0".getBytes(StandardCharsets.UTF_8);

  private final Kernel kernel;
  private final Fd socket;
  private final Arena arena = Arena.ofConfined();
  private final MemorySegment out = arena.allocate(4096, 8);
  private final MemorySegment in = arena.allocate(4096, 8);
  private final MemorySegment request = out.asSlice(0, REQUEST);
  private final MemorySegment reply = in.asSlice(0, REPLY);
  private final FdList fds = new FdList();
  private int id = 1;

  RegisterPing(Kernel kernel, Path path) throws IOException {
    this.kernel = kernel;
    this.socket = kernel.connect(path);
    header(VfioUserCommand.VERSION, (int) VersionMessage.SIZE + CAPABILITIES.length);
    VersionMessage.MAJOR.set(out, HEADER, 0);
    VersionMessage.MINOR.set(out, HEADER, 0);
    long text = HEADER + VersionMessage.SIZE;
    MemorySegment.copy(CAPABILITIES, 0, out, ValueLayout.JAVA_BYTE, text, CAPABILITIES.length);
    kernel.sendmsg(socket, out.asSlice(0, text + CAPABILITIES.length), List.of());
    long n = kernel.recvmsg(socket, in, fds);
    if (n < HEADER || (VfioUserHeader.FLAGS.bits(in) & VfioUserHeader.FLAG_ERROR) != 0) {
      throw new IOException("the server at " + path + " refused VERSION");
    }
  }

  private void header(int command, int payload) {
    VfioUserHeader.MSG_ID.set(out, id++ & 0xffff);
    VfioUserHeader.CMD.set(out, command);
    VfioUserHeader.MSG_SIZE.set(out, HEADER + payload);
    VfioUserHeader.FLAGS.setBits(out, VfioUserHeader.TYPE_COMMAND);
    VfioUserHeader.ERROR_NO.set(out, 0);
  }

  /** Round trips of a read of four bytes. */
  Samples measure(int region, long offset, int samples) throws IOException {
    Samples result = new Samples();
    RegionAccess.OFFSET.set(out, HEADER, offset);
    RegionAccess.REGION.setBits(out, HEADER, region);
    RegionAccess.COUNT.set(out, HEADER, 4);
    for (int i = 0; i < samples; i++) {
      header(VfioUserCommand.REGION_READ, (int) RegionAccess.SIZE);
      long start = System.nanoTime();
      kernel.sendmsg(socket, request, List.of());
      long n = kernel.recvmsg(socket, reply, fds);
      while (n > 0 && n < REPLY && n < VfioUserHeader.MSG_SIZE.get(in)) {
        n += kernel.recvmsg(socket, in.asSlice(n, REPLY - n), fds);
      }
      result.add(System.nanoTime() - start);
      if (n != REPLY || (VfioUserHeader.FLAGS.bits(in) & VfioUserHeader.FLAG_ERROR) != 0) {
        throw new IOException("the server refused a read of region " + region);
      }
    }
    return result;
  }

  @Override
  public void close() {
    socket.close();
    arena.close();
  }
}
