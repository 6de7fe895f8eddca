package io.sluice.gpu.sm.isa;

/** The condition code of a lane, and the tests that control instructions make on it. */
public final class ConditionCode {
  public static final int ZERO = 1;
  public static final int SIGN = 2;
  public static final int CARRY = 4;
  public static final int OVERFLOW = 8;

  /** The test that always holds. */
  public static final int TRUE = 0xf;

  private ConditionCode() {}

  /** Zero and sign of an integer result. */
  public static int ofInteger(int result) {
    return (result == 0 ? ZERO : 0) | (result < 0 ? SIGN : 0);
  }

  /** Zero and sign of a float result; both for an unordered one. */
  public static int ofFloat(int bits) {
    return ofValue(Float.intBitsToFloat(bits));
  }

  /** Zero and sign of a double result; both for an unordered one. */
  public static int ofDouble(long bits) {
    return ofValue(Double.longBitsToDouble(bits));
  }

  private static int ofValue(double result) {
    if (Double.isNaN(result)) {
      return ZERO | SIGN;
    }
    return (result == 0 ? ZERO : 0) | (result < 0 ? SIGN : 0);
  }

  /** Whether a test holds; its encoding is that of the control instructions. */
  public static boolean holds(int test, int cc) {
    boolean zero = (cc & ZERO) != 0;
    boolean sign = (cc & SIGN) != 0;
    boolean carry = (cc & CARRY) != 0;
    boolean overflow = (cc & OVERFLOW) != 0;
    if (test < 0x10) {
      boolean unordered = zero && sign;
      boolean less = !unordered && !zero && sign != overflow;
      boolean equal = !unordered && zero;
      boolean greater = !unordered && !less && !equal;
      int relation = unordered ? 8 : less ? 1 : equal ? 2 : greater ? 4 : 0;
      return (test & relation) != 0;
    }
    return switch (test) {
      case 0x10 -> !overflow;
      case 0x11 -> !carry;
      case 0x12 -> !sign;
      case 0x13 -> !carry || zero;
      case 0x14 -> carry && !zero;
      case 0x15 -> sign;
      case 0x16 -> carry;
      case 0x17 -> overflow;
      default -> throw new AssertionError(test);
    };
  }
}
