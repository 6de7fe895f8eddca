package io.sluice.abi;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.vfio.DeviceFeature;
import io.sluice.abi.vfio.DeviceInfo;
import io.sluice.abi.vfio.DmaMap;
import io.sluice.abi.vfio.DmaUnmap;
import io.sluice.abi.vfio.GroupStatus;
import io.sluice.abi.vfio.InfoCapHeader;
import io.sluice.abi.vfio.IommuDmaMap;
import io.sluice.abi.vfio.IrqInfo;
import io.sluice.abi.vfio.IrqSet;
import io.sluice.abi.vfio.MigState;
import io.sluice.abi.vfio.MigrationFeature;
import io.sluice.abi.vfio.RegionInfo;
import io.sluice.abi.vfio.VfioIoctl;
import io.sluice.abi.vfio.VfioPci;
import io.sluice.abi.vfio.VfioUserHeader;
import java.io.IOException;
import java.lang.foreign.StructLayout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What vfio-user has from linux/vfio.h against that header; what is its own against the tables of
 * its specification, written out here.
 */
final class VfioHeaderParityTest {
  private static final List<String> INCLUDES = List.of("<linux/vfio.h>", "<linux/version.h>");

  /** Structures of the specification alone. */
  private static final List<String> PROTOCOL =
      List.of(
          "vfio_user_dma_map 20: argsz@0:4 flags@4:4 offset@8:8 addr@10:8 size@18:8",
          "vfio_user_dma_region_access 10: addr@0:8 count@8:8",
          "vfio_user_dma_unmap 18: argsz@0:4 flags@4:4 addr@8:8 size@10:8",
          "vfio_user_header 10: msg_id@0:2 cmd@2:2 msg_size@4:4 flags@8:4 error_no@c:4",
          "vfio_user_mig_data 8: argsz@0:4 size@4:4",
          "vfio_user_region_access 10: offset@0:8 region@8:4 count@c:4",
          "vfio_user_region_io_fds 10: argsz@0:4 flags@4:4 index@8:4 count@c:4",
          "vfio_user_version 4: major@0:2 minor@2:2",
          "vfio_user_write_multi 8: wr_cnt@0:8");

  /** Constants of the specification alone. */
  private static final List<String> PROTOCOL_CONSTANTS =
      List.of(
          "DmaMap.FLAG_MMAP 4",
          "VfioUserCommand.DEVICE_FEATURE 16",
          "VfioUserCommand.DEVICE_GET_INFO 4",
          "VfioUserCommand.DEVICE_GET_IRQ_INFO 7",
          "VfioUserCommand.DEVICE_GET_REGION_INFO 5",
          "VfioUserCommand.DEVICE_GET_REGION_IO_FDS 6",
          "VfioUserCommand.DEVICE_RESET 13",
          "VfioUserCommand.DEVICE_SET_IRQS 8",
          "VfioUserCommand.DIRTY_PAGES 14",
          "VfioUserCommand.DMA_MAP 2",
          "VfioUserCommand.DMA_READ 11",
          "VfioUserCommand.DMA_UNMAP 3",
          "VfioUserCommand.DMA_WRITE 12",
          "VfioUserCommand.MIG_DATA_READ 17",
          "VfioUserCommand.MIG_DATA_WRITE 18",
          "VfioUserCommand.REGION_READ 9",
          "VfioUserCommand.REGION_WRITE 10",
          "VfioUserCommand.REGION_WRITE_MULTI 15",
          "VfioUserCommand.VERSION 1",
          "VfioUserHeader.FLAG_ERROR 32",
          "VfioUserHeader.FLAG_NO_REPLY 16",
          "VfioUserHeader.TYPE_COMMAND 0",
          "VfioUserHeader.TYPE_MASK 15",
          "VfioUserHeader.TYPE_REPLY 1",
          "WriteMulti.ENTRY_SIZE 24",
          "WriteMulti.MAX_DATA_BYTES 8");

  /** Where the protocol ends earlier than the kernel's structure; the fields are the same. */
  private static final Set<String> PREFIXES =
      Set.of(
          "vfio_device_info",
          "vfio_device_feature_dma_logging_control",
          "vfio_device_feature_dma_logging_report");

  /** How a class' constants are called in C. */
  private static final Map<Class<?>, UnaryOperator<String>> NAMES =
      Map.ofEntries(
          entry(
              DeviceFeature.class,
              name -> "VFIO_DEVICE_" + (name.startsWith("FEATURE_") ? "" : "FEATURE_") + name),
          entry(DeviceInfo.class, name -> "VFIO_DEVICE_FLAGS_" + name.substring("FLAG_".length())),
          entry(DmaMap.class, name -> "VFIO_DMA_MAP_" + name),
          entry(DmaUnmap.class, name -> "VFIO_DMA_UNMAP_" + name),
          entry(GroupStatus.class, name -> "VFIO_GROUP_" + name.replace("FLAG_", "FLAGS_")),
          entry(InfoCapHeader.class, name -> "VFIO_REGION_INFO_CAP_" + name),
          entry(IommuDmaMap.class, name -> "VFIO_DMA_MAP_" + name),
          entry(IrqInfo.class, name -> "VFIO_IRQ_INFO_" + name.substring("FLAG_".length())),
          entry(
              IrqSet.class, name -> "VFIO_IRQ_SET_" + name.replace("DATA_MASK", "DATA_TYPE_MASK")),
          entry(MigrationFeature.class, name -> "VFIO_MIGRATION_" + name),
          entry(RegionInfo.class, name -> "VFIO_REGION_INFO_" + name),
          entry(VfioIoctl.class, name -> "VFIO_" + name),
          entry(
              VfioPci.class,
              name -> "VFIO_PCI_" + name + (name.startsWith("NUM_") ? "" : "_INDEX")));

  /** What Linux 6.2 brought: older headers lack it. */
  private static final Set<String> SINCE_6_2 =
      Set.of("MigState.PRE_COPY", "MigState.PRE_COPY_P2P", "MigrationFeature.PRE_COPY");

  @TempDir Path directory;

  @Test
  void structures_ofTheProtocolAlone_areAsSpecified() {
    assertThat(
            Structs.ofPackage(VfioUserHeader.class).values().stream()
                .map(Structs::describe)
                .filter(text -> text.startsWith("vfio_user_")))
        .containsExactlyElementsOf(PROTOCOL);
  }

  @Test
  void structures_sharedWithTheKernel_areAsInItsHeader() throws IOException, InterruptedException {
    List<StructLayout> structures = new ArrayList<>();
    Structs.ofPackage(VfioUserHeader.class)
        .forEach((name, layout) -> {
          if (!name.startsWith("vfio_user_")) {
            structures.add(layout);
          }
        });
    CProgram program = new CProgram(INCLUDES, List.of());
    structures.forEach(program::describe);
    assertThat(program.run(directory).stream().map(VfioHeaderParityTest::withoutSizeOfPrefix))
        .containsExactlyElementsOf(
            structures.stream()
                .map(Structs::describe)
                .map(VfioHeaderParityTest::withoutSizeOfPrefix)
                .toList());
  }

  private static String withoutSizeOfPrefix(String structure) {
    String name = structure.substring(0, structure.indexOf(' '));
    return PREFIXES.contains(name) ? name + structure.substring(structure.indexOf(':')) : structure;
  }

  @Test
  void constants_everyOne_isAsInTheHeaderOrAsSpecified() throws IOException, InterruptedException {
    CProgram program = new CProgram(INCLUDES, List.of());
    TreeMap<String, Long> ofTheKernel = new TreeMap<>();
    List<String> ofTheProtocol = new ArrayList<>();
    for (Class<?> type : Structs.classesOf(VfioUserHeader.class)) {
      Structs.constantsOf(type)
          .forEach((name, value) -> {
            String label = type.getSimpleName() + "." + name;
            if (name.equals("SIZE") || name.endsWith("_OFFSET")) {
              return;
            }
            if (PROTOCOL_CONSTANTS.contains(label + " " + value)) {
              ofTheProtocol.add(label + " " + value);
            } else {
              ofTheKernel.put(label, value);
              print(program, type, name, label);
            }
          });
    }
    assertThat(ofTheProtocol).containsExactlyInAnyOrderElementsOf(PROTOCOL_CONSTANTS);

    List<String> lines = program.run(directory);
    assertThat(lines).hasSizeGreaterThanOrEqualTo(ofTheKernel.size() - SINCE_6_2.size());
    for (String line : lines) {
      String[] parts = line.split(" ", 2);
      assertThat(ofTheKernel).as(line).containsEntry(parts[0], Long.parseLong(parts[1]));
    }
  }

  private static void print(CProgram program, Class<?> type, String name, String label) {
    if (type == MigState.class) {
      String state = "VFIO_DEVICE_STATE_" + name;
      program.valueSince(6, name.startsWith("PRE_COPY") ? 2 : 0, label, state);
      return;
    }
    assertThat(NAMES).as("how C calls " + label).containsKey(type);
    String inC = NAMES.getOrDefault(type, UnaryOperator.identity()).apply(name);
    if (SINCE_6_2.contains(label)) {
      program.valueIfDefined(label, inC);
    } else {
      program.value(label, inC);
    }
  }
}
