package io.sluice.remoting.host;

import io.sluice.abi.Errno;
import io.sluice.abi.SyscallException;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.FilePiece;
import io.sluice.remoting.control.HostMessage.Shared;
import io.sluice.remoting.control.MemoryPiece;
import io.sluice.remoting.control.Order.AddSegment;
import io.sluice.remoting.control.Order.OpenShared;
import io.sluice.remoting.session.ProtocolException;
import java.util.List;

/** The orders about sessions of processes in the guest's machine. */
final class MachineOrders {
  private static final int NO_SESSION = 0;

  private final SessionTable table;

  MachineOrders(SessionTable table) {
    this.table = table;
  }

  /**
   * Opens a session.
   *
   * @param fds files, doorbell, notify, and the stream of one that comes; owned
   */
  Shared open(OpenShared order, List<Fd> fds) {
    List<Fd> files = fds.subList(0, order.files());
    Fd doorbell = fds.get(order.files());
    Fd notify = fds.get(order.files() + 1);
    Fd stream = order.comes() ? fds.get(order.files() + 2) : null;
    boolean owned = false;
    try {
      long number =
          table.serveMachine(order.api(), pieces(files, order.pieces()), doorbell, notify, stream);
      owned = true;
      return new Shared(order.id(), number, 0);
    } catch (ProtocolException e) {
      return new Shared(order.id(), NO_SESSION, e.errno().number());
    } catch (SyscallException e) {
      return new Shared(order.id(), NO_SESSION, e.errno());
    } finally {
      files.forEach(Fd::close);
      if (!owned) {
        doorbell.close();
        notify.close();
        if (stream != null) {
          stream.close();
        }
      }
    }
  }

  /**
   * Adds a segment.
   *
   * @param files owned
   */
  Shared add(AddSegment order, List<Fd> files) {
    try {
      table.machine(order.session()).add(order.index(), pieces(files, order.pieces()));
      return new Shared(order.id(), order.session(), 0);
    } catch (ProtocolException e) {
      return new Shared(order.id(), order.session(), e.errno().number());
    } finally {
      files.forEach(Fd::close);
    }
  }

  /** The pieces of files that came with an order. */
  static List<FilePiece> pieces(List<Fd> files, List<MemoryPiece> pieces) {
    if (pieces.isEmpty() || pieces.stream().anyMatch(piece -> piece.file() >= files.size())) {
      throw new ProtocolException(Errno.EINVAL, "pieces are of files that did not come");
    }
    return pieces.stream()
        .map(piece -> new FilePiece(files.get(piece.file()), piece.offset(), piece.bytes()))
        .toList();
  }
}
