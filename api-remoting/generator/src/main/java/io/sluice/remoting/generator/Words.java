package io.sluice.remoting.generator;

import java.util.Locale;

/** The spellings of a name in Java and C. */
final class Words {
  /** {@code createBuffer} to {@code create_buffer}. */
  static String snake(String camel) {
    StringBuilder out = new StringBuilder();
    for (char c : camel.toCharArray()) {
      if (Character.isUpperCase(c)) {
        out.append('_');
      }
      out.append(Character.toLowerCase(c));
    }
    return out.toString();
  }

  /** {@code createBuffer} to {@code CREATE_BUFFER}. */
  static String screaming(String camel) {
    return snake(camel).toUpperCase(Locale.ROOT);
  }

  /** {@code createBuffer} to {@code CreateBuffer}. */
  static String pascal(String camel) {
    return Character.toUpperCase(camel.charAt(0)) + camel.substring(1);
  }

  private Words() {}
}
