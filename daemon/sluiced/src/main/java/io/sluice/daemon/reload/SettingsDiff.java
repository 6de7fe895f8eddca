package io.sluice.daemon.reload;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.sluice.daemon.config.LiveKeys;
import io.sluice.management.ReloadedSetting;
import io.sluice.management.Setting;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The differences between the settings in effect and those of the file, and what has become of each
 * so far. One of which nothing is said waits for the next start.
 */
final class SettingsDiff {
  private record ChangeEffect(String effect, String reason) {}

  private static final ChangeEffect WAITS =
      new ChangeEffect(ReloadedSetting.NEXT_START, "it is read at the start alone");

  private final Map<String, Setting> before = new LinkedHashMap<>();
  private final Map<String, Setting> after = new LinkedHashMap<>();
  private final Map<String, ChangeEffect> outcomes = new LinkedHashMap<>();

  /** Guests that come or go as a whole, by the beginning of their settings. */
  private final Map<String, ChangeEffect> wholes = new LinkedHashMap<>();

  private final List<ReloadedSetting> more = new ArrayList<>();

  SettingsDiff(List<Setting> before, List<Setting> after) {
    before.forEach(setting -> this.before.put(setting.key(), setting));
    after.forEach(setting -> this.after.put(setting.key(), setting));
  }

  /** Whether a setting has another value in the file. */
  boolean differs(String key) {
    return !value(before, key).equals(value(after, key));
  }

  /** Whether one of several has. */
  boolean differsIn(ImmutableSet<String> keys) {
    return keys.stream().anyMatch(this::differs);
  }

  void now(String key) {
    outcomes.put(key, new ChangeEffect(ReloadedSetting.NOW, ""));
  }

  void kept(String key, String reason) {
    outcomes.put(key, new ChangeEffect(ReloadedSetting.KEPT, reason));
  }

  void failed(String key, String reason) {
    outcomes.put(key, new ChangeEffect(ReloadedSetting.FAILED, reason));
  }

  /** A guest comes or goes. */
  void whole(String guest, String effect, String reason) {
    wholes.put(LiveKeys.guest(guest), new ChangeEffect(effect, reason));
  }

  /** Something that is no difference of settings. */
  void add(ReloadedSetting one) {
    more.add(one);
  }

  /** All differences in the order of the file, those that are gone at the end. */
  ImmutableList<ReloadedSetting> report() {
    ImmutableList.Builder<ReloadedSetting> report = ImmutableList.builder();
    Set<String> reported = new LinkedHashSet<>();
    for (String key : keys()) {
      String guest = wholeOf(key);
      if (guest != null && reported.add(guest)) {
        report.add(whole(guest));
      } else if (guest == null && differs(key)) {
        ChangeEffect outcome = outcomes.getOrDefault(key, WAITS);
        report.add(
            new ReloadedSetting(
                key, value(before, key), value(after, key), outcome.effect(), outcome.reason()));
      }
    }
    return report.addAll(more).build();
  }

  private ReloadedSetting whole(String guest) {
    ChangeEffect outcome = wholes.getOrDefault(guest, WAITS);
    String name = guest + ".name";
    return new ReloadedSetting(
        guest,
        before.containsKey(name) ? "served" : "",
        after.containsKey(name) ? "served" : "",
        outcome.effect(),
        outcome.reason());
  }

  /** The settings that the daemon runs on from now on. */
  ImmutableList<Setting> inEffect() {
    ImmutableList.Builder<Setting> effective = ImmutableList.builder();
    for (String key : keys()) {
      String guest = wholeOf(key);
      ChangeEffect outcome =
          guest == null ? outcomes.getOrDefault(key, WAITS) : wholes.getOrDefault(guest, WAITS);
      boolean taken = !differs(key) || outcome.effect().equals(ReloadedSetting.NOW);
      Setting setting = taken ? after.get(key) : before.get(key);
      if (setting != null) {
        effective.add(setting);
      }
    }
    return effective.build();
  }

  private ImmutableSet<String> keys() {
    return ImmutableSet.<String>builder().addAll(after.keySet()).addAll(before.keySet()).build();
  }

  /** The guest as a whole that a setting belongs to. Keys have no dots, names of guests may. */
  private @Nullable String wholeOf(String key) {
    String section = key.substring(0, Math.max(key.lastIndexOf('.'), 0));
    return wholes.containsKey(section) ? section : null;
  }

  private static String value(Map<String, Setting> settings, String key) {
    Setting setting = settings.get(key);
    return setting == null ? "" : setting.value();
  }
}
