package io.sluice.remoting.host;

import io.sluice.abi.Errno;
import io.sluice.abi.sandbox.CallFilter;
import io.sluice.abi.sandbox.FilterStep;
import io.sluice.abi.sandbox.Landlock;
import io.sluice.abi.sandbox.SystemCall;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The rules of the sandbox: which files a session host may use and how, and which system calls it
 * may not make. All else about files is denied; all else about calls is allowed.
 *
 * @param files accesses by file, or by the directory above it
 * @param filter of the system calls
 */
record SandboxRules(Map<Path, Long> files, List<FilterStep> filter) {
  private static final long READ = Landlock.FS_READ_FILE | Landlock.FS_READ_DIR;
  private static final long RUN = READ | Landlock.FS_EXECUTE;
  private static final long USE = Landlock.FS_READ_FILE | Landlock.FS_WRITE_FILE;
  private static final long KEEP =
      READ
          | Landlock.FS_WRITE_FILE
          | Landlock.FS_TRUNCATE
          | Landlock.FS_REMOVE_DIR
          | Landlock.FS_REMOVE_FILE
          | Landlock.FS_MAKE_DIR
          | Landlock.FS_MAKE_REG
          | Landlock.FS_REFER;

  /** Programs and libraries: the linker that PoCL runs is among them. */
  private static final List<String> PROGRAMS =
      List.of("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32");

  /** What the loader of libraries, OpenCL's loader and the search for processors read. */
  private static final List<String> FACTS =
      List.of(
          "/etc/OpenCL",
          "/etc/ld.so.cache",
          "/etc/ld.so.conf",
          "/etc/ld.so.conf.d",
          "/etc/ld.so.preload",
          "/etc/localtime",
          "/proc/cpuinfo",
          "/proc/meminfo",
          "/proc/stat",
          "/proc/version",
          "/proc/sys/kernel",
          "/proc/sys/vm",
          "/sys");

  /** Devices that have no content of others. */
  private static final List<String> DEVICES = List.of("/dev/null", "/dev/zero", "/dev/urandom");

  /** Calls by which a process reaches others, the network, or the kernel's own objects. */
  private static final List<SystemCall> REFUSED =
      List.of(
          // sockets: those it needs are handed to it
          SystemCall.SOCKET,
          SystemCall.CONNECT,
          SystemCall.BIND,
          SystemCall.LISTEN,
          // other processes
          SystemCall.PTRACE,
          SystemCall.PROCESS_VM_READV,
          SystemCall.PROCESS_VM_WRITEV,
          SystemCall.PROCESS_MADVISE,
          SystemCall.PROCESS_MRELEASE,
          SystemCall.KCMP,
          SystemCall.PIDFD_OPEN,
          SystemCall.PIDFD_GETFD,
          SystemCall.PIDFD_SEND_SIGNAL,
          SystemCall.TKILL,
          SystemCall.RT_SIGQUEUEINFO,
          SystemCall.RT_TGSIGQUEUEINFO,
          SystemCall.SETPRIORITY,
          SystemCall.IOPRIO_SET,
          SystemCall.SHMGET,
          SystemCall.SHMAT,
          SystemCall.SHMCTL,
          SystemCall.SEMGET,
          SystemCall.SEMOP,
          SystemCall.SEMTIMEDOP,
          SystemCall.SEMCTL,
          SystemCall.MSGGET,
          SystemCall.MSGSND,
          SystemCall.MSGRCV,
          SystemCall.MSGCTL,
          SystemCall.MQ_OPEN,
          SystemCall.MQ_UNLINK,
          // leaving the group by which it is ended
          SystemCall.SETPGID,
          SystemCall.SETSID,
          // mounts and namespaces
          SystemCall.MOUNT,
          SystemCall.UMOUNT2,
          SystemCall.PIVOT_ROOT,
          SystemCall.CHROOT,
          SystemCall.MOVE_MOUNT,
          SystemCall.OPEN_TREE,
          SystemCall.FSOPEN,
          SystemCall.FSCONFIG,
          SystemCall.FSMOUNT,
          SystemCall.FSPICK,
          SystemCall.MOUNT_SETATTR,
          SystemCall.SETNS,
          SystemCall.UNSHARE,
          // what Landlock does not tell apart of files
          SystemCall.CHMOD,
          SystemCall.FCHMOD,
          SystemCall.FCHMODAT,
          SystemCall.FCHMODAT2,
          SystemCall.CHOWN,
          SystemCall.FCHOWN,
          SystemCall.LCHOWN,
          SystemCall.FCHOWNAT,
          SystemCall.SETXATTR,
          SystemCall.LSETXATTR,
          SystemCall.FSETXATTR,
          SystemCall.REMOVEXATTR,
          SystemCall.LREMOVEXATTR,
          SystemCall.FREMOVEXATTR,
          SystemCall.UTIME,
          SystemCall.UTIMES,
          SystemCall.FUTIMESAT,
          SystemCall.UTIMENSAT,
          SystemCall.OPEN_BY_HANDLE_AT,
          SystemCall.NAME_TO_HANDLE_AT,
          SystemCall.FANOTIFY_INIT,
          SystemCall.FANOTIFY_MARK,
          SystemCall.EXECVEAT,
          // ways into the kernel that are not needed
          SystemCall.BPF,
          SystemCall.PERF_EVENT_OPEN,
          SystemCall.ADD_KEY,
          SystemCall.REQUEST_KEY,
          SystemCall.KEYCTL,
          SystemCall.USERFAULTFD,
          SystemCall.IO_URING_SETUP,
          SystemCall.IO_URING_ENTER,
          SystemCall.IO_URING_REGISTER,
          SystemCall.MODIFY_LDT,
          SystemCall.PERSONALITY,
          SystemCall.USELIB,
          SystemCall.LOOKUP_DCOOKIE,
          SystemCall.NFSSERVCTL,
          SystemCall.SYSFS,
          SystemCall.USTAT,
          // the host itself
          SystemCall.KEXEC_LOAD,
          SystemCall.KEXEC_FILE_LOAD,
          SystemCall.INIT_MODULE,
          SystemCall.FINIT_MODULE,
          SystemCall.DELETE_MODULE,
          SystemCall.SWAPON,
          SystemCall.SWAPOFF,
          SystemCall.REBOOT,
          SystemCall.SETHOSTNAME,
          SystemCall.SETDOMAINNAME,
          SystemCall.IOPL,
          SystemCall.IOPERM,
          SystemCall.ACCT,
          SystemCall.QUOTACTL,
          SystemCall.QUOTACTL_FD,
          SystemCall.SETTIMEOFDAY,
          SystemCall.CLOCK_SETTIME,
          SystemCall.ADJTIMEX,
          SystemCall.CLOCK_ADJTIME,
          SystemCall.SYSLOG,
          SystemCall.VHANGUP);

  /**
   * Calls that change a process of the same user, such as the daemon: its limits, its processors,
   * where its memory is. Their first argument names it.
   */
  private static final List<SystemCall> OF_ITSELF =
      List.of(
          SystemCall.PRLIMIT64,
          SystemCall.SCHED_SETAFFINITY,
          SystemCall.SCHED_SETSCHEDULER,
          SystemCall.SCHED_SETPARAM,
          SystemCall.SCHED_SETATTR,
          SystemCall.MIGRATE_PAGES,
          SystemCall.MOVE_PAGES);

  /** {@code F_SETOWN, F_SETSIG, F_SETOWN_EX}: a signal to whom one likes, by a descriptor. */
  private static final List<Integer> OWNERS = List.of(8, 10, 15);

  /** {@code FIOSETOWN, SIOCSPGRP}: the same, of a socket. */
  private static final List<Integer> SOCKET_OWNERS = List.of(0x8901, 0x8902);

  /** As the process of a call: the caller's. */
  private static final int ITSELF = 0;

  /** {@code CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET}; linux/sched.h. */
  private static final int NEW_NAMESPACES =
      0x0002_0000
          | 0x0200_0000
          | 0x0400_0000
          | 0x0800_0000
          | 0x1000_0000
          | 0x2000_0000
          | 0x4000_0000;

  /** {@code AF_UNIX}; sys/socket.h. */
  private static final int UNIX = 1;

  /** {@code SOCK_STREAM | SOCK_CLOEXEC}: a pair that can reach nobody else, unlike datagrams. */
  private static final int OWN_STREAM = 1 | 0x80000;

  /** As the process of a signal: all of the caller's group. */
  private static final int OWN_GROUP = 0;

  /**
   * The rules of a host.
   *
   * @param pid its process: the only one it may signal
   * @param java the Java it runs on
   * @param jars where its modules are
   */
  static SandboxRules of(HostArguments arguments, int pid, Path java, List<Path> jars) {
    Map<Path, Long> files = new LinkedHashMap<>();
    PROGRAMS.forEach(path -> files.put(Path.of(path), RUN));
    FACTS.forEach(path -> files.put(Path.of(path), READ));
    DEVICES.forEach(path -> files.put(Path.of(path), USE));
    files.put(Path.of("/proc", Integer.toString(pid)), READ);
    files.put(java, RUN);
    jars.forEach(jar -> files.merge(jar, READ, (a, b) -> a | b));
    arguments.devices().forEach(path -> files.put(path, USE | Landlock.FS_IOCTL_DEV));
    arguments.implementation().ifPresent(path -> files.merge(path, RUN, (a, b) -> a | b));
    files.put(arguments.cache(), KEEP);
    return new SandboxRules(files, filter(pid));
  }

  static List<FilterStep> filter(int pid) {
    CallFilter filter = new CallFilter();
    // First, since libraries make many of these.
    filter
        .refuseSecond(SystemCall.IOCTL, SOCKET_OWNERS, Errno.EPERM)
        .refuseSecond(SystemCall.FCNTL, OWNERS, Errno.EPERM);
    OF_ITSELF.forEach(call -> filter.refuseOthers(call, ITSELF, Errno.EPERM));
    REFUSED.forEach(call -> filter.refuse(call, Errno.EPERM));
    return filter
        .refuseBits(SystemCall.CLONE, NEW_NAMESPACES, Errno.EPERM)
        // Its flags are in memory, where a filter cannot see them: libraries go back to clone.
        .refuse(SystemCall.CLONE3, Errno.ENOSYS)
        .refuseOthers(SystemCall.SOCKETPAIR, UNIX, OWN_STREAM, Errno.EPERM)
        .refuseOthers(SystemCall.KILL, OWN_GROUP, Errno.EPERM)
        .refuseOthers(SystemCall.TGKILL, pid, Errno.EPERM)
        .build();
  }
}
