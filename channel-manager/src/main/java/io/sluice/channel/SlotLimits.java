package io.sluice.channel;

/**
 * The most channels and address spaces there may be at one time: of all guests of a GPU together,
 * or of one guest.
 *
 * @param channels 1 or more
 * @param addressSpaces 1 or more, those included that only channels keep
 */
public record SlotLimits(int channels, int addressSpaces) {
  /** As many as there are ids. */
  public static final SlotLimits NONE = new SlotLimits(Integer.MAX_VALUE, Integer.MAX_VALUE);

  /** What a guest gets when the operator says nothing: about half of a GTX 480's. */
  public static final SlotLimits DEFAULT = new SlotLimits(64, 64);

  public SlotLimits {
    if (channels < 1 || addressSpaces < 1) {
      throw new IllegalArgumentException(
          "limits of less than one, channels=" + channels + " addressSpaces=" + addressSpaces);
    }
  }
}
