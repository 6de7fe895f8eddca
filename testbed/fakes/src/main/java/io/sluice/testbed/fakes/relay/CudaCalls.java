package io.sluice.testbed.fakes.relay;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/**
 * The sections of the program {@code calls} (guest-driver-stubs/cuda) that print the same wherever
 * the program runs, before a driver in memory: on a host or in a machine.
 */
public enum CudaCalls {
  /** Files open, stat and close as nodes do. */
  FILES(
      "files",
      "open /dev/nvidiactl: ok",
      "stat nvidiactl: mode 20666 device 195:255",
      "lstat nvidia0: mode 20666 device 195:0",
      "fstat nvidiactl: mode 20666 device 195:255",
      "stat nvidia77: ENOENT",
      "access nvidia-uvm: ok",
      "close again: EBADF",
      "open /dev/nvidia77: ENOENT",
      "open /dev/null: ok"),
  /** Objects are made under the program's handles. */
  OBJECTS(
      "rm",
      "alloc 0x0: ok status 0x0 object 0xc1d00001 own pointer 1",
      "alloc 0x80: ok status 0x0 object 0x5c000001 own pointer 1",
      "alloc without parameters: ok status 0x0",
      "not RM's: ENOTTY"),
  /** Copies of a descriptor are one file, which the last one closes. */
  COPIES("share", "on the copy: ok", "on the last: ok", "replaced: ENOTTY"),
  /** A fork leaves the child without files, and the parent with its own. */
  FORK(
      "fork",
      "pin the stack: ok",
      "child: its memory 1",
      "child: the parent's file: ENOTTY",
      "child: its own file: ok",
      "parent: its memory 1, its stack 1",
      "parent: ok"),
  /** Threads call at once, and each is answered. */
  THREADS("threads", "threads: 400 of 400"),
  /** A control that names no client of the program's. */
  CONTROL("control", "control 0x101: ok status 0x23 own pointers 1"),
  /** An event that does so. */
  EVENT("event", "event: ok status 0x23 own descriptor 1 close-on-exec 1"),
  /** Memory of the program's that is pinned for such a client. */
  PINNED(
      "pinned",
      "pin heap: ok status 0x23 wrong 0 own address 1",
      "pin two mappings: ok status 0x23 wrong 0 own address 1",
      "pin a hole: EFAULT"),
  /** A mapping of nothing. */
  MAP("map", "mmap: EINVAL"),
  /** A call of UVM that nobody knows. */
  UVM("uvm", "uvm unknown: EINVAL"),
  /** Calls of the largest size, and beyond. */
  LIMITS("limits", "largest: ok", "nested too large: EINVAL");

  private final String section;
  private final List<String> lines;

  CudaCalls(String section, String... lines) {
    this.section = section;
    this.lines = List.of(lines);
  }

  /** The program's argument. */
  public String section() {
    return section;
  }

  /** Lines that it prints, beside others. */
  public List<String> lines() {
    return lines;
  }

  /** Whether it names no client that it has made: what it asks for does not reach the driver. */
  public boolean isRefused() {
    return compareTo(CONTROL) >= 0;
  }

  /** Those that the driver answers. */
  public static Stream<CudaCalls> answered() {
    return Arrays.stream(values()).filter(each -> !each.isRefused());
  }

  /** Those that do not reach it. */
  public static Stream<CudaCalls> refused() {
    return Arrays.stream(values()).filter(CudaCalls::isRefused);
  }
}
