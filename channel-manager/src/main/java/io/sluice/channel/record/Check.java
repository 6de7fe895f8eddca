package io.sluice.channel.record;

/** The refusal of values that no record can have. */
final class Check {
  private Check() {}

  static void check(boolean holds, String rule) {
    if (!holds) {
      throw SectionHeader.refused(
          RecordCode.IMPOSSIBLE, "a record holds what none can, rule=" + rule);
    }
  }
}
