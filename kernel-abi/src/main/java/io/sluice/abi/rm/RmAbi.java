package io.sluice.abi.rm;

import io.sluice.abi.AbiCode;
import io.sluice.abi.Errno;
import io.sluice.abi.RefusedException;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.StructLayout;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The expectations of the driver of one version: RM's structures are an agreement between one
 * driver and the libraries shipped with it, and change from release to release.
 *
 * <p>The table below says which versions are known and how each differs from the one before it. A
 * version that is not in it is refused: a structure that is off by a field would be read as another
 * request. <b>To add one</b>, compare the structures of this package with the headers of its tag,
 * and add a row: {@code R580} again where nothing differs, otherwise {@code R580.with(ioctl, class
 * or command, LAYOUT)} per structure that does. Where fields only came behind those there were, the
 * accessors of the old structure fit the new one; {@link #with} refuses any other, which needs an
 * accessor class of its own and a choice where the block is filled.
 */
public final class RmAbi {
  private static final RmAbi R580 = oldest();

  private static final NavigableMap<RmVersion, RmAbi> KNOWN =
      new TreeMap<>(
          Map.of(
              // By NVIDIA's sources and gVisor's table of driver versions.
              new RmVersion(580, 105, 8), R580,
              new RmVersion(580, 142, 0), R580,
              new RmVersion(580, 159, 3), R580,
              // Measured on an H200.
              new RmVersion(580, 159, 4), R580));

  private final Map<RmIoctl, MemoryLayout> ioctls;
  private final Map<RmClass, StructLayout> classes;
  private final Map<RmControl, StructLayout> controls;

  private RmAbi(
      Map<RmIoctl, MemoryLayout> ioctls,
      Map<RmClass, StructLayout> classes,
      Map<RmControl, StructLayout> controls) {
    this.ioctls = ioctls;
    this.classes = classes;
    this.controls = controls;
  }

  private static RmAbi oldest() {
    Map<RmIoctl, MemoryLayout> ioctls = new EnumMap<>(RmIoctl.class);
    for (RmIoctl ioctl : RmIoctl.values()) {
      ioctls.put(ioctl, ioctl.oldest());
    }
    Map<RmClass, StructLayout> classes = new EnumMap<>(RmClass.class);
    for (RmClass type : RmClass.values()) {
      type.oldest().ifPresent(layout -> classes.put(type, layout));
    }
    Map<RmControl, StructLayout> controls = new EnumMap<>(RmControl.class);
    for (RmControl control : RmControl.values()) {
      controls.put(control, control.oldest());
    }
    return new RmAbi(ioctls, classes, controls);
  }

  /**
   * What the driver of a version expects.
   *
   * @param version as CHECK_VERSION_STR answers it
   * @throws RefusedException SLU-RM-001, naming the versions that are known
   */
  public static RmAbi of(String version) {
    return RmVersion.parse(version)
        .map(KNOWN::get)
        .orElseThrow(() ->
            new RefusedException(
                AbiCode.DRIVER_VERSION,
                Errno.EOPNOTSUPP,
                "the NVIDIA driver's version is not known, version="
                    + version
                    + " known="
                    + known().stream().map(RmVersion::toString).collect(Collectors.joining(",")),
                "Install one of the known versions of the open kernel modules."));
  }

  /** The versions that are known, ascending. */
  public static List<RmVersion> known() {
    return List.copyOf(KNOWN.navigableKeySet());
  }

  /** The argument of an ioctl. */
  public MemoryLayout layout(RmIoctl ioctl) {
    return required(ioctls.get(ioctl), ioctl);
  }

  /** The request word of an ioctl. */
  public long request(RmIoctl ioctl) {
    return ioctl.request(layout(ioctl).byteSize());
  }

  /** The block of a class; empty for a class that has none. */
  public Optional<StructLayout> layout(RmClass type) {
    return Optional.ofNullable(classes.get(type));
  }

  /** The block of a command. */
  public StructLayout layout(RmControl control) {
    return required(controls.get(control), control);
  }

  private static <T> T required(@Nullable T layout, Enum<?> what) {
    if (layout == null) {
      throw new AssertionError("no layout of " + what);
    }
    return layout;
  }

  /** This, but for a class's block. */
  RmAbi with(RmClass type, StructLayout layout) {
    requireLonger(layout(type).orElseThrow(), layout);
    Map<RmClass, StructLayout> changed = new EnumMap<>(classes);
    changed.put(type, layout);
    return new RmAbi(ioctls, changed, controls);
  }

  /** This, but for a command's block. */
  RmAbi with(RmControl control, StructLayout layout) {
    requireLonger(layout(control), layout);
    Map<RmControl, StructLayout> changed = new EnumMap<>(controls);
    changed.put(control, layout);
    return new RmAbi(ioctls, classes, changed);
  }

  /** The accessors of a structure fit one that only has more at the end. */
  private static void requireLonger(StructLayout before, StructLayout after) {
    for (MemoryLayout member : before.memberLayouts()) {
      var path = MemoryLayout.PathElement.groupElement(member.name().orElseThrow());
      if (!after.select(path).equals(member) || after.byteOffset(path) != before.byteOffset(path)) {
        throw new IllegalArgumentException(
            "a member has moved, structure=" + after + " member=" + member);
      }
    }
  }
}
