package io.sluice.testbed.architecture;

import com.google.common.collect.ImmutableMap;
import java.lang.reflect.Modifier;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The simple names of types, nested ones included, of which each may stand once. A name may stand
 * twice where nobody reads it without the type around it:
 *
 * <ul>
 *   <li>an alternative of a sealed type of the same file: a state, a message, an answer. It is read
 *       with the sum, and sums may have alternatives of one name: two machines may both be Running;
 *   <li>a private type: no other file can name it. It must not have the name of a file, which it
 *       would hide;
 *   <li>an idiom of {@link #IDIOMS}.
 * </ul>
 */
final class TypeNames {
  /** Names that say what a type is to the one around it, with the reason for each. */
  static final ImmutableMap<String, String> IDIOMS =
      ImmutableMap.of(
          "Entry", "an element of the table around it, as in Map.Entry",
          "Kind", "the enumeration by which values of the type around it are told apart",
          "Observer", "the listener to changes of the type around it",
          "State", "one state of the machine around it, with its data",
          "Surroundings", "the services that the type around it is made with, as one argument");

  private TypeNames() {}

  /** Names that stand twice and may not, with the types that have them. */
  static SortedMap<String, List<String>> twice(Collection<Class<?>> types) {
    SortedMap<String, List<Class<?>>> named = new TreeMap<>();
    for (Class<?> type : types) {
      if (!type.isAnonymousClass() && !type.isSynthetic() && !isAlternative(type)) {
        named.computeIfAbsent(type.getSimpleName(), _ -> new ArrayList<>()).add(type);
      }
    }
    SortedMap<String, List<String>> found = new TreeMap<>();
    named.forEach((name, all) -> {
      boolean isFile = all.stream().anyMatch(type -> !isNested(type));
      long counted = isFile ? all.size() : all.stream().filter(TypeNames::counts).count();
      if (counted > 1) {
        found.put(name, all.stream().map(Class::getName).sorted().toList());
      }
    });
    found.remove("package-info");
    return found;
  }

  private static boolean counts(Class<?> type) {
    return !isPrivate(type) && !IDIOMS.containsKey(type.getSimpleName());
  }

  private static boolean isNested(Class<?> type) {
    return type.getEnclosingClass() != null;
  }

  /** Whether no other file can name it: it, or a type around it, is private or local. */
  private static boolean isPrivate(Class<?> type) {
    for (Class<?> each = type; each != null; each = each.getEnclosingClass()) {
      if (each.isLocalClass() || Modifier.isPrivate(each.getModifiers())) {
        return true;
      }
    }
    return false;
  }

  /** Whether one of its supertypes is sealed, and of the same file. */
  private static boolean isAlternative(Class<?> type) {
    Deque<Class<?>> above = new ArrayDeque<>(supertypes(type).toList());
    while (!above.isEmpty()) {
      Class<?> next = above.pop();
      if (next.getNestHost() == type.getNestHost()) {
        if (isNested(type) && next.isSealed()) {
          return true;
        }
        above.addAll(supertypes(next).toList());
      }
    }
    return false;
  }

  private static Stream<Class<?>> supertypes(Class<?> type) {
    return Stream.concat(Stream.ofNullable(type.getSuperclass()), Stream.of(type.getInterfaces()));
  }
}
