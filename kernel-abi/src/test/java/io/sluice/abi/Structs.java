package io.sluice.abi;

import java.io.IOException;
import java.lang.foreign.GroupLayout;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.StructLayout;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Finds every structure that a package, or one below it, declares, so that a parity test can forget
 * none.
 */
public final class Structs {
  private Structs() {}

  /** The layouts of a package and of those below it, by the name of their C structure. */
  public static TreeMap<String, StructLayout> ofPackage(Class<?> member) {
    TreeMap<String, StructLayout> found = new TreeMap<>();
    for (Class<?> type : classesOf(member)) {
      layoutOf(type).ifPresent(layout -> found.put(layout.name().orElseThrow(), layout));
    }
    return found;
  }

  /** The classes of a package and of those below it, without nested ones. */
  public static List<Class<?>> classesOf(Class<?> member) {
    List<Class<?>> classes = new ArrayList<>();
    try {
      Path root = Path.of(member.getProtectionDomain().getCodeSource().getLocation().toURI());
      try (Stream<Path> files =
          Files.walk(root.resolve(member.getPackageName().replace('.', '/')))) {
        for (Path file : (Iterable<Path>) files.sorted()::iterator) {
          String name = root.relativize(file).toString();
          if (name.endsWith(".class") && !name.contains("$") && !name.contains("-")) {
            classes.add(
                Class.forName(
                    name.substring(0, name.length() - ".class".length()).replace('/', '.')));
          }
        }
      }
    } catch (IOException | URISyntaxException | ClassNotFoundException e) {
      throw new AssertionError(e);
    }
    return classes;
  }

  /** The layout a class declares. */
  public static Optional<StructLayout> layoutOf(Class<?> type) {
    try {
      Field field = type.getDeclaredField("LAYOUT");
      field.setAccessible(true);
      return Optional.of((StructLayout) field.get(null));
    } catch (NoSuchFieldException none) {
      return Optional.empty();
    } catch (IllegalAccessException e) {
      throw new AssertionError(e);
    }
  }

  /** A structure as text: {@code name size: member@offset:size …}, hexadecimal, without padding. */
  public static String describe(GroupLayout layout) {
    StringBuilder text = new StringBuilder(layout.name().orElseThrow());
    text.append(' ').append(Long.toHexString(layout.byteSize())).append(':');
    for (MemoryLayout member : layout.memberLayouts()) {
      String name = member.name().orElse("pad");
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

  /** The whole-number constants a class declares, by name. */
  public static TreeMap<String, Long> constantsOf(Class<?> type) {
    TreeMap<String, Long> constants = new TreeMap<>();
    try {
      for (Field field : type.getDeclaredFields()) {
        Class<?> of = field.getType();
        boolean whole = of == int.class || of == long.class || of == short.class;
        if (whole && Modifier.isStatic(field.getModifiers()) && !field.isSynthetic()) {
          field.setAccessible(true);
          constants.put(field.getName(), ((Number) field.get(null)).longValue());
        }
      }
    } catch (IllegalAccessException e) {
      throw new AssertionError(e);
    }
    return constants;
  }

  /** Whether a member only keeps the others in their places. */
  public static boolean isPadding(String member) {
    return member.startsWith("pad") || member.startsWith("_pad");
  }
}
