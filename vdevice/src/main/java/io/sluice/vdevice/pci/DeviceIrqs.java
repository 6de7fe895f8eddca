package io.sluice.vdevice.pci;

import io.sluice.abi.Errno;
import io.sluice.abi.RefusedException;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.FdList;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.vfio.VfioPci;
import io.sluice.vdevice.protocol.DeviceCode;
import io.sluice.vdevice.protocol.Limits;
import io.sluice.vdevice.protocol.Request;

/**
 * The interrupts of a device, as DEVICE_SET_IRQS sets them: MSI-X alone has vectors. The other
 * kinds of a PCI function (INTx, MSI, error, request) exist with a count of 0, and disabling them
 * is no error: QEMU does so at every reset.
 */
public final class DeviceIrqs {
  private final Kernel kernel;
  private final VectorTable vectors;

  public DeviceIrqs(Kernel kernel, VectorTable vectors) {
    this.kernel = kernel;
    this.vectors = vectors;
  }

  /**
   * Interrupts of a kind.
   *
   * @throws RefusedException EINVAL
   */
  public static int count(int index) {
    if (index < 0 || index >= VfioPci.NUM_IRQS) {
      throw refused("no such kind of interrupt, index=" + Integer.toUnsignedString(index));
    }
    return index == VfioPci.MSIX_IRQ ? Limits.MAX_VECTORS : 0;
  }

  /**
   * Carries a request out.
   *
   * @param fds as many as the request says; those that are used are taken
   * @throws RefusedException EINVAL range or descriptor; ENOTTY an action that MSI-X has not
   */
  public void set(Request.SetIrqs request, FdList fds) {
    int count = count(request.index());
    boolean trigger = request.action() == Request.IrqAction.TRIGGER;
    if (request.count() == 0 && trigger) {
      if (request.index() == VfioPci.MSIX_IRQ) {
        vectors.clear();
      }
      return;
    }
    if (request.count() == 0 || request.start() > count - request.count()) {
      throw refused("no such interrupts, start=" + request.start() + ", count=" + request.count());
    }
    if (!trigger) {
      throw new RefusedException(
          DeviceCode.NO_MASK, Errno.ENOTTY, "vectors cannot be masked by message", "");
    }
    switch (request.data()) {
      case EVENTFD -> assign(request, fds);
      case NONE, BOOL -> trigger(request);
    }
  }

  /** All descriptors are looked at before the first is used. */
  private void assign(Request.SetIrqs request, FdList fds) {
    for (int i = 0; i < fds.size(); i++) {
      if (!kernel.isEventfd(fds.get(i))) {
        throw refused("not an eventfd, vector=" + (request.start() + i));
      }
    }
    boolean take = fds.size() > 0;
    for (int i = 0; i < request.count(); i++) {
      Fd eventfd = take ? fds.take() : null;
      if (eventfd != null) {
        kernel.setNonBlocking(eventfd);
      }
      vectors.assign(request.start() + i, eventfd);
    }
  }

  private void trigger(Request.SetIrqs request) {
    for (int i = 0; i < request.count(); i++) {
      if (request.data() == Request.IrqData.NONE || (request.selected() & 1L << i) != 0) {
        vectors.raise(request.start() + i);
      }
    }
  }

  private static RefusedException refused(String what) {
    return new RefusedException(DeviceCode.INTERRUPT, Errno.EINVAL, what, "");
  }
}
