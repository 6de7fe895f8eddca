package io.sluice.daemon.config;

import com.google.common.collect.ImmutableList;
import java.util.Optional;

/**
 * A table of the file: what keys it has.
 *
 * @param title as documents show it, such as {@code [daemon]} or {@code [[guest]]}
 * @param keys its keys
 */
record KeySection(String title, ImmutableList<Key<?>> keys) {
  ImmutableList<String> keyNames() {
    return keys.stream().<String>map(Key::name).collect(ImmutableList.toImmutableList());
  }

  Optional<Key<?>> key(String name) {
    return keys.stream().filter(k -> k.name().equals(name)).findFirst();
  }
}
