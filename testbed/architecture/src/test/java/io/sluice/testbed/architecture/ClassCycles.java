package io.sluice.testbed.architecture;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The cycles between the classes of each package: sets of classes of which each depends on every
 * other, directly or not. A nested class counts as the one around it.
 */
final class ClassCycles {
  private final SortedMap<String, Set<String>> graph = new TreeMap<>();
  private final Map<String, Integer> order = new HashMap<>();
  private final Map<String, Integer> low = new HashMap<>();
  private final Deque<String> path = new ArrayDeque<>();
  private final Set<String> onPath = new HashSet<>();
  private final List<Set<String>> cycles = new ArrayList<>();

  private ClassCycles(JavaClasses classes) {
    for (JavaClass each : classes) {
      String from = topLevel(each);
      Set<String> to = graph.computeIfAbsent(from, _ -> new TreeSet<>());
      for (Dependency dependency : each.getDirectDependenciesFromSelf()) {
        JavaClass target = dependency.getTargetClass().getBaseComponentType();
        if (target.getPackageName().equals(each.getPackageName())
            && !topLevel(target).equals(from)) {
          to.add(topLevel(target));
        }
      }
    }
  }

  /** The cycles, each as the full names of its classes. */
  static List<Set<String>> of(JavaClasses classes) {
    ClassCycles found = new ClassCycles(classes);
    found
        .graph
        .keySet()
        .forEach(name -> {
          if (!found.order.containsKey(name)) {
            found.visit(name);
          }
        });
    return found.cycles;
  }

  /** Tarjan's algorithm; packages are small enough for recursion. */
  private void visit(String name) {
    int number = order.size();
    order.put(name, number);
    int lowest = number;
    path.push(name);
    onPath.add(name);
    for (String next : graph.getOrDefault(name, Set.of())) {
      if (!order.containsKey(next)) {
        visit(next);
        lowest = Math.min(lowest, low.getOrDefault(next, lowest));
      } else if (onPath.contains(next)) {
        lowest = Math.min(lowest, order.getOrDefault(next, lowest));
      }
    }
    low.put(name, lowest);
    if (lowest == number) {
      take(name);
    }
  }

  private void take(String first) {
    Set<String> cycle = new TreeSet<>();
    String name;
    do {
      name = path.pop();
      onPath.remove(name);
      cycle.add(name);
    } while (!name.equals(first));
    if (cycle.size() > 1) {
      cycles.add(cycle);
    }
  }

  private static String topLevel(JavaClass each) {
    String name = each.getName();
    int nested = name.indexOf('$');
    return nested < 0 ? name : name.substring(0, nested);
  }
}
