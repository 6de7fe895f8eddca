package io.sluice.abi;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.drm.DrmIoctl;
import io.sluice.abi.sandbox.ProcessCapability;
import io.sluice.abi.sandbox.RealPrivilegeKernel;
import io.sluice.abi.sys.RealKernel;
import java.io.IOException;
import java.lang.foreign.StructLayout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Structures and constants of system calls against the headers of this machine. */
final class SystemHeaderParityTest {
  private static final List<String> INCLUDES =
      List.of(
          "<sys/types.h>",
          "<sys/socket.h>",
          "<sys/uio.h>",
          "<sys/un.h>",
          "<sys/resource.h>",
          "<sys/stat.h>",
          "<sys/statfs.h>",
          "<sys/mman.h>",
          "<sys/eventfd.h>",
          "<sys/syscall.h>",
          "<unistd.h>",
          "<linux/aio_abi.h>",
          "<linux/futex.h>",
          "<linux/magic.h>",
          "<linux/posix_acl.h>",
          "<linux/posix_acl_xattr.h>",
          "<fcntl.h>",
          "<poll.h>",
          "<time.h>",
          "<errno.h>");

  /** Constants of our own, which no header has. */
  private static final Set<String> OURS =
      Set.of(
          "RING_EVENTS",
          "CONTEXT",
          "NULL_FD",
          "MAX_MESSAGE_FDS",
          "SCM_MAX_FD",
          "PATH_BYTES",
          "EINTR",
          "EAGAIN",
          "CONTROL_BYTES",
          "ENTRIES",
          "SIZE");

  /** Constants that are called otherwise in C. */
  private static final Map<String, String> RENAMED =
      Map.ofEntries(
          Map.entry("NONBLOCK", "EFD_NONBLOCK"),
          Map.entry("SYS_PPOLL", "SYS_ppoll"),
          Map.entry("SYS_IO_SETUP", "SYS_io_setup"),
          Map.entry("SYS_IO_GETEVENTS", "SYS_io_getevents"),
          Map.entry("SYS_IO_SUBMIT", "SYS_io_submit"),
          Map.entry("SYS_FUTEX", "SYS_futex"),
          Map.entry("PREAD", "IOCB_CMD_PREAD"),
          Map.entry("RESFD", "IOCB_FLAG_RESFD"),
          Map.entry("EVENT_BYTES", "sizeof(struct io_event)"),
          Map.entry("PAGE_BYTES", "sysconf(_SC_PAGESIZE)"),
          Map.entry("ENTRY_BYTES", "sizeof(struct posix_acl_xattr_entry)"));

  @TempDir Path directory;

  @Test
  void structures_ofSystemCalls_areAsInTheHeaders() throws IOException, InterruptedException {
    TreeMap<String, StructLayout> structures = Structs.ofPackage(RealKernel.class);
    assertThat(structures).hasSize(11);
    CProgram program = new CProgram(INCLUDES, List.of());
    structures.values().forEach(program::describe);
    assertThat(program.run(directory))
        .containsExactlyElementsOf(structures.values().stream().map(Structs::describe).toList());
  }

  @Test
  void constants_ofSystemCalls_areAsInTheHeaders() throws IOException, InterruptedException {
    CProgram program = new CProgram(INCLUDES, List.of());
    List<String> expected = new ArrayList<>();
    for (Class<?> type : Structs.classesOf(RealKernel.class)) {
      Structs.constantsOf(type)
          .forEach((name, value) -> {
            if (!OURS.contains(name)
                && !name.endsWith("_OFFSET")
                && !type.isEnum()
                && !name.equals("serialVersionUID")) {
              program.value(type.getSimpleName() + "." + name, RENAMED.getOrDefault(name, name));
              expected.add(type.getSimpleName() + "." + name + " " + value);
            }
          });
    }
    assertThat(expected).hasSizeGreaterThan(30);
    assertThat(program.run(directory)).containsExactlyElementsOf(expected);
  }

  @Test
  void errno_everyConstant_isAsInTheHeader() throws IOException, InterruptedException {
    CProgram program = new CProgram(INCLUDES, List.of());
    List<String> expected = new ArrayList<>();
    for (Errno errno : Errno.values()) {
      program.value(errno.name(), errno.name());
      expected.add(errno.name() + " " + errno.number());
    }
    assertThat(program.run(directory)).containsExactlyElementsOf(expected);
  }

  @Test
  void privileges_areAsInTheHeaders() throws IOException, InterruptedException {
    CProgram program =
        new CProgram(List.of("<linux/capability.h>", "<linux/prctl.h>", "<fcntl.h>"), List.of());
    List<String> expected = new ArrayList<>();
    for (ProcessCapability capability : ProcessCapability.values()) {
      program.value(capability.name(), "CAP_" + capability.name());
      expected.add(capability.name() + " " + capability.number());
    }
    Structs.constantsOf(RealPrivilegeKernel.class)
        .forEach((name, value) -> {
          program.value(name, name);
          expected.add(name + " " + value);
        });
    assertThat(expected).hasSizeGreaterThan(5);
    assertThat(program.run(directory)).containsExactlyElementsOf(expected);
  }

  @Test
  void drmCore_isAsInTheHeader() throws IOException, InterruptedException {
    CProgram program = new CProgram(List.of("<libdrm/drm.h>"), List.of("-I/usr/include/libdrm"));
    TreeMap<String, StructLayout> structures = Structs.ofPackage(DrmIoctl.class);
    List<String> expected =
        new ArrayList<>(structures.values().stream().map(Structs::describe).toList());
    structures.values().forEach(program::describe);
    Map<String, Integer> numbers =
        new TreeMap<>(
            Map.of(
                "DRM_IOCTL_VERSION", DrmIoctl.VERSION,
                "DRM_IOCTL_GEM_CLOSE", DrmIoctl.GEM_CLOSE,
                "DRM_IOCTL_GEM_FLINK", DrmIoctl.GEM_FLINK,
                "DRM_IOCTL_GEM_OPEN", DrmIoctl.GEM_OPEN,
                "DRM_COMMAND_BASE", DrmIoctl.COMMAND_BASE,
                "DRM_COMMAND_END", DrmIoctl.COMMAND_END));
    numbers.forEach((name, value) -> {
      program.value(name, "(int)" + name);
      expected.add(name + " " + value);
    });
    assertThat(program.run(directory)).containsExactlyElementsOf(expected);
  }
}
