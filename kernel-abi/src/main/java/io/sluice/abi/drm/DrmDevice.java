package io.sluice.abi.drm;

import io.sluice.abi.sys.Fd;
import java.lang.foreign.MemorySegment;

/**
 * One open of a DRM device: {@code /dev/dri/cardN}, or the software GPU, which speaks the same
 * bytes. Nothing but bytes, descriptors and events crosses this seam, so that the software GPU can
 * become a process of its own: an argument block holds no pointers, and variable parts follow
 * inline (at most {@value #MAX_ARGUMENT_BYTES} bytes, the limit of {@code _IOC_SIZEBITS}).
 *
 * <p>Closing the device frees its channels first, then its address spaces and buffers.
 */
public interface DrmDevice extends AutoCloseable {
  /** The largest argument block an ioctl number can describe. */
  int MAX_ARGUMENT_BYTES = (1 << 14) - 1;

  /**
   * {@code ioctl(request, argument)}: the argument is read and, on success, written in place.
   *
   * @param request the full request word with direction and size
   * @param argument the argument block; at least the size that the request names
   * @throws io.sluice.abi.SyscallException with the driver's errno; the block is then unchanged
   */
  void ioctl(int request, MemorySegment argument);

  /**
   * What {@code mmap} of a map handle would map: a descriptor and an offset in it.
   *
   * @param mapHandle from GEM_NEW, CHAN_NEW or an extension
   * @param lengthBytes bytes to be mapped
   * @throws io.sluice.abi.SyscallException ENOENT or EINVAL as the driver's mmap would
   */
  DrmMapping map(long mapHandle, long lengthBytes);

  @Override
  void close();

  /**
   * @param fd a descriptor of the caller's own, to be closed by the caller
   * @param offset byte offset in it, a multiple of the page size
   * @param lengthBytes length in bytes
   */
  record DrmMapping(Fd fd, long offset, long lengthBytes) {}
}
