package io.sluice.abi;

import java.util.Optional;

/** The error numbers of x86-64 Linux that Sluice names; {@code asm-generic/errno*.h}. */
public enum Errno {
  EPERM(1),
  ENOENT(2),
  ESRCH(3),
  EINTR(4),
  EIO(5),
  ENXIO(6),
  E2BIG(7),
  EBADF(9),
  EAGAIN(11),
  ENOMEM(12),
  EACCES(13),
  EFAULT(14),
  EBUSY(16),
  EEXIST(17),
  ENODEV(19),
  ENOTDIR(20),
  EISDIR(21),
  EINVAL(22),
  ENFILE(23),
  EMFILE(24),
  ENOTTY(25),
  EFBIG(27),
  ENOSPC(28),
  ESPIPE(29),
  EROFS(30),
  EPIPE(32),
  ERANGE(34),
  ENAMETOOLONG(36),
  ENOSYS(38),
  ELOOP(40),
  EPROTO(71),
  EOVERFLOW(75),
  ENOTSOCK(88),
  EMSGSIZE(90),
  EPROTOTYPE(91),
  EOPNOTSUPP(95),
  EADDRINUSE(98),
  ENETDOWN(100),
  ECONNABORTED(103),
  ECONNRESET(104),
  ENOBUFS(105),
  EISCONN(106),
  ENOTCONN(107),
  ETIMEDOUT(110),
  ECONNREFUSED(111),
  EALREADY(114),
  EINPROGRESS(115),
  EDQUOT(122),
  ECANCELED(125);

  private final int number;

  Errno(int number) {
    this.number = number;
  }

  /** The positive number. */
  public int number() {
    return number;
  }

  /** The constant of a positive number, if it is one that Sluice names. */
  public static Optional<Errno> of(int number) {
    for (Errno errno : values()) {
      if (errno.number == number) {
        return Optional.of(errno);
      }
    }
    return Optional.empty();
  }

  /** The name of any positive number: the symbol, or {@code errno 77}. */
  public static String nameOf(int number) {
    return of(number).map(Errno::name).orElse("errno " + number);
  }
}
