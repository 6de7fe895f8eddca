package io.sluice.testbed.checks;

import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiPredicate;
import java.util.function.Function;

/**
 * A walk through all that plain facts about a thing can become: an oracle for the table of its
 * states that knows no table. The facts amount to a state, and events make other facts of them.
 *
 * @param <S> the states
 */
public final class FactWalk<S extends Enum<S>> {
  private final Set<List<S>> steps = new HashSet<>();

  private FactWalk() {}

  /**
   * Walks.
   *
   * @param first facts
   * @param next those that one event makes of others
   * @param state that facts amount to
   */
  public static <F, S extends Enum<S>> FactWalk<S> of(
      F first, Function<F, ? extends Collection<F>> next, Function<F, S> state) {
    FactWalk<S> walk = new FactWalk<>();
    Set<F> seen = new HashSet<>(Set.of(first));
    Deque<F> open = new ArrayDeque<>(seen);
    while (!open.isEmpty()) {
      F from = open.remove();
      for (F to : next.apply(from)) {
        walk.steps.add(List.of(state.apply(from), state.apply(to)));
        if (seen.add(to)) {
          open.add(to);
        }
      }
    }
    return walk;
  }

  /**
   * Requires of all pairs of states that the table has those alone that events lead from and to; of
   * a state and itself too.
   *
   * @throws AssertionError with the pairs of which it is not so
   */
  public void requireSteps(Class<S> states, BiPredicate<S, S> table) {
    require(states, table, steps);
  }

  /** The same of a table that has no state follow itself, whatever events do. */
  public void requireChanges(Class<S> states, BiPredicate<S, S> table) {
    Set<List<S>> changes = new HashSet<>(steps);
    changes.removeIf(step -> step.getFirst() == step.getLast());
    require(states, table, changes);
  }

  private void require(Class<S> states, BiPredicate<S, S> table, Set<List<S>> wanted) {
    Set<List<S>> found = new HashSet<>();
    for (S from : states.getEnumConstants()) {
      for (S to : states.getEnumConstants()) {
        if (table.test(from, to)) {
          found.add(List.of(from, to));
        }
      }
    }
    if (!found.equals(wanted)) {
      Set<List<S>> tooMany = new HashSet<>(found);
      tooMany.removeAll(wanted);
      Set<List<S>> missing = new HashSet<>(wanted);
      missing.removeAll(found);
      throw new AssertionError("only in the table: " + tooMany + ", not in it: " + missing);
    }
  }
}
