package io.sluice.daemon.config;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;

/** The keys that take effect when the configuration is read anew; all others wait for a start. */
public final class LiveKeys {
  public static final String LOG_LEVEL = Schema.LOG + "." + Schema.LOG_LEVEL.name();
  public static final String COMPRESS = Schema.MIGRATION + "." + Schema.COMPRESS.name();
  public static final String CERTIFICATE = Schema.MIGRATION + "." + Schema.CERTIFICATE.name();

  private static final ImmutableList<Key<?>> QUOTA_KEYS =
      ImmutableList.of(
          Schema.GUEST_VRAM_MIN,
          Schema.GUEST_VRAM_LIMIT,
          Schema.GUEST_WEIGHT,
          Schema.GUEST_BEYOND_SHARE,
          Schema.GUEST_KILL_TIMEOUT);

  private LiveKeys() {}

  /** How settings of a guest begin. */
  public static String guest(String name) {
    return Schema.GUEST + "." + name;
  }

  /** The settings that make a guest's quota. */
  public static ImmutableSet<String> quota(String guest) {
    return QUOTA_KEYS.stream()
        .map(key -> guest(guest) + "." + key.name())
        .collect(ImmutableSet.toImmutableSet());
  }

  /** All of them as documents name them. */
  static ImmutableSet<String> names() {
    return ImmutableSet.<String>builder().add(LOG_LEVEL, COMPRESS).addAll(quota("NAME")).build();
  }
}
