package io.sluice.abi;

import java.io.IOException;
import java.lang.foreign.GroupLayout;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.StructLayout;
import java.lang.reflect.Field;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Finds every structure that a package declares, so that a parity test can forget none. */
public final class Structs {
  private Structs() {}

  /** The layouts of a package, by the name of their C structure. */
  public static TreeMap<String, StructLayout> ofPackage(Class<?> member) {
    TreeMap<String, StructLayout> found = new TreeMap<>();
    for (Class<?> type : classesOf(member)) {
      layoutOf(type).ifPresent(layout -> found.put(layout.name().orElseThrow(), layout));
    }
    return found;
  }

  /** The classes of a package, without nested ones. */
  public static List<Class<?>> classesOf(Class<?> member) {
    String name = member.getPackageName();
    List<Class<?>> classes = new ArrayList<>();
    try {
      URI root = member.getProtectionDomain().getCodeSource().getLocation().toURI();
      try (Stream<Path> files = Files.list(Path.of(root).resolve(name.replace('.', '/')))) {
        for (Path file : (Iterable<Path>) files.sorted()::iterator) {
          String simple = file.getFileName().toString();
          if (simple.endsWith(".class") && !simple.contains("$") && !simple.contains("-")) {
            classes.add(
                Class.forName(
                    name + '.' + simple.substring(0, simple.length() - ".class".length())));
          }
        }
      }
    } catch (IOException | URISyntaxException | ClassNotFoundException e) {
      throw new AssertionError(e);
    }
    return classes;
  }

  /** The layout a class declares. */
  public static java.util.Optional<StructLayout> layoutOf(Class<?> type) {
    try {
      Field field = type.getDeclaredField("LAYOUT");
      field.setAccessible(true);
      return java.util.Optional.of((StructLayout) field.get(null));
    } catch (NoSuchFieldException none) {
      return java.util.Optional.empty();
    } catch (IllegalAccessException e) {
      throw new AssertionError(e);
    }
  }

  /** A structure as text: {@code name size: member@offset:size …}, hexadecimal, without padding. */
  public static String describe(GroupLayout layout) {
    StringBuilder text = new StringBuilder(layout.name().orElseThrow());
    text.append(' ').append(Long.toHexString(layout.byteSize())).append(':');
    for (MemoryLayout member : layout.memberLayouts()) {
      String name = member.name().orElseThrow();
      if (!isPadding(name)) {
        text.append(' ')
            .append(name)
            .append('@')
            .append(Long.toHexString(layout.byteOffset(PathElement.groupElement(name))))
            .append(':')
            .append(Long.toHexString(member.byteSize()));
      }
    }
    return text.toString();
  }

  /** Whether a member only keeps the others in their places. */
  public static boolean isPadding(String member) {
    return member.startsWith("pad") || member.startsWith("_pad");
  }
}
