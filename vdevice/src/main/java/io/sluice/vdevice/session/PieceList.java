package io.sluice.vdevice.session;

import com.google.common.collect.ImmutableList;
import io.sluice.abi.Errno;
import io.sluice.abi.RefusedException;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.FileStatus;
import io.sluice.abi.sys.Kernel;
import io.sluice.vdevice.dma.DmaTable;
import io.sluice.vdevice.protocol.DeviceCode;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The pieces of a segment as they are found: those that follow one another in a file are one, and a
 * file that came with several maps is one.
 */
final class PieceList implements DmaTable.PieceSink {
  /** A file by the descriptor of one of its maps, which is the table's. */
  private record Source(Fd descriptor, long device, long inode) {
    boolean is(FileStatus other) {
      return device == other.device() && inode == other.inode();
    }
  }

  private final Kernel kernel;
  private final int most;
  private final List<Source> sources = new ArrayList<>();
  private final List<SessionMemory.FileRange> pieces = new ArrayList<>();
  private @Nullable Fd latest; // descriptor of the piece before
  private int latestIndex;

  /**
   * @param most pieces
   */
  PieceList(Kernel kernel, int most) {
    this.kernel = kernel;
    this.most = most;
  }

  @Override
  public void piece(Fd file, long offset, long sizeBytes) {
    int index = indexOf(file);
    if (!pieces.isEmpty()) {
      SessionMemory.FileRange last = pieces.getLast();
      if (last.file() == index && last.offset() + last.bytes() == offset) {
        pieces.set(
            pieces.size() - 1,
            new SessionMemory.FileRange(index, last.offset(), last.bytes() + sizeBytes));
        return;
      }
    }
    if (pieces.size() >= most) {
      throw refused(Errno.EDQUOT, "sessions have too many pieces of memory, room=" + most);
    }
    pieces.add(new SessionMemory.FileRange(index, offset, sizeBytes));
  }

  private int indexOf(Fd file) {
    if (file != latest) {
      latestIndex = find(file);
      latest = file;
    }
    return latestIndex;
  }

  private int find(Fd file) {
    FileStatus status = kernel.fstat(file);
    for (int i = 0; i < sources.size(); i++) {
      if (sources.get(i).is(status)) {
        return i;
      }
    }
    if (sources.size() >= SessionMemory.MAX_FILES) {
      throw refused(Errno.EINVAL, "a segment is in too many files, limit=" + sources.size());
    }
    sources.add(new Source(file, status.device(), status.inode()));
    return sources.size() - 1;
  }

  /** Descriptors of the files, which stay the table's. */
  List<Fd> files() {
    return sources.stream().map(Source::descriptor).toList();
  }

  ImmutableList<SessionMemory.FileRange> pieces() {
    return ImmutableList.copyOf(pieces);
  }

  private static RefusedException refused(Errno errno, String what) {
    return new RefusedException(DeviceCode.CALL, errno, what, "");
  }
}
