package io.sluice.testbed.workloads.asm;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A parser of an instruction's line. Names that the program has given to numbers are replaced. */
final class LineParser {
  private static final Pattern GUARD = Pattern.compile("@(!?)(P[0-6]|PT)\\s+(.*)");
  private static final Pattern REGISTER = Pattern.compile("(RZ|R\\d{1,2})((?:\\.CC)?)");
  private static final Pattern PREDICATE = Pattern.compile("(!?)(PT|P[0-6])");
  private static final Pattern CONSTANT = Pattern.compile("c\\[([^\\]]+)\\]\\s*\\[([^\\]]+)\\]");
  private static final Pattern MEMORY = Pattern.compile("\\[([^\\]]+)\\]");
  private static final Pattern PARAMETER = Pattern.compile("%(\\w+(?:[+]\\w+)?)");
  private static final Pattern REAL = Pattern.compile("[+-]?(\\d+\\.\\d*([eE][+-]?\\d+)?|inf|nan)");

  private final Map<String, Long> numbers;
  private final Map<String, Integer> parameters;

  /**
   * @param numbers names for numbers
   * @param parameters offsets of the kernel's parameters in bank 0, by name
   */
  LineParser(Map<String, Long> numbers, Map<String, Integer> parameters) {
    this.numbers = numbers;
    this.parameters = parameters;
  }

  Statement parse(int line, int address, String text) {
    String rest = text;
    Operand.Predicate predicate = new Operand.Predicate(Operand.PT, false);
    Matcher guard = GUARD.matcher(rest);
    if (guard.matches()) {
      predicate = new Operand.Predicate(predicateNumber(guard.group(2)), !guard.group(1).isEmpty());
      rest = guard.group(3);
    }
    int space = rest.indexOf(' ');
    String name = space < 0 ? rest : rest.substring(0, space);
    List<String> parts = List.of(name.split("\\."));
    List<Operand> operands = new ArrayList<>();
    if (space >= 0) {
      for (String part : rest.substring(space).split(",")) {
        operands.add(operand(line, part.strip()));
      }
    }
    return new Statement(
        line,
        address,
        predicate,
        parts.get(0),
        List.copyOf(parts.subList(1, parts.size())),
        List.copyOf(operands));
  }

  private Operand operand(int line, String text) {
    Matcher predicate = PREDICATE.matcher(text);
    if (predicate.matches()) {
      return new Operand.Predicate(
          predicateNumber(predicate.group(2)), !predicate.group(1).isEmpty());
    }
    boolean negated = text.startsWith("-") || text.startsWith("~");
    String positive = negated ? text.substring(1) : text;
    boolean absolute = positive.startsWith("|") && positive.endsWith("|");
    String plain = absolute ? positive.substring(1, positive.length() - 1) : positive;
    Matcher register = REGISTER.matcher(plain);
    if (register.matches()) {
      int number = registerNumber(line, register.group(1));
      return new Operand.Register(number, negated, absolute, !register.group(2).isEmpty());
    }
    Matcher parameter = PARAMETER.matcher(plain);
    if (parameter.matches()) {
      int offset = parameterOffset(line, parameter.group(1));
      return new Operand.Constant(0, Operand.RZ, offset, negated, absolute);
    }
    Matcher constant = CONSTANT.matcher(plain);
    if (constant.matches()) {
      Operand.Memory place = memory(line, constant.group(2));
      int bank = (int) number(line, constant.group(1));
      return new Operand.Constant(bank, place.register(), place.offset(), negated, absolute);
    }
    Matcher memory = MEMORY.matcher(text);
    if (memory.matches()) {
      return memory(line, memory.group(1));
    }
    if (REAL.matcher(text).matches()) {
      return new Operand.Real(real(text));
    }
    return isNumber(text) ? new Operand.Immediate(number(line, text)) : new Operand.Name(text);
  }

  private static double real(String text) {
    return switch (text) {
      case "inf", "+inf" -> Double.POSITIVE_INFINITY;
      case "-inf" -> Double.NEGATIVE_INFINITY;
      case "nan", "+nan", "-nan" -> Double.NaN;
      default -> Double.parseDouble(text);
    };
  }

  /** A register and an offset, or one of them. */
  private Operand.Memory memory(int line, String text) {
    String plain = text.replace(" ", "");
    Matcher both = Pattern.compile("(RZ|R\\d{1,2})(?:([+-].+))?").matcher(plain);
    if (!both.matches()) {
      return new Operand.Memory(Operand.RZ, (int) number(line, plain));
    }
    String offset = both.group(2);
    return new Operand.Memory(
        registerNumber(line, both.group(1)),
        offset == null ? 0 : (int) number(line, offset.replaceFirst("^\\+", "")));
  }

  private int parameterOffset(int line, String text) {
    String[] parts = text.split("\\+");
    Integer offset = parameters.get(parts[0]);
    if (offset == null) {
      throw new AssemblyException(line, "no such parameter: " + parts[0]);
    }
    return offset + (parts.length == 1 ? 0 : (int) number(line, parts[1]));
  }

  private static int predicateNumber(String text) {
    return text.equals("PT") ? Operand.PT : text.charAt(1) - '0';
  }

  private static int registerNumber(int line, String text) {
    int number = text.equals("RZ") ? Operand.RZ : Integer.parseInt(text.substring(1));
    if (number == Operand.RZ && !text.equals("RZ") || number > Operand.RZ) {
      throw new AssemblyException(line, "no such register: " + text);
    }
    return number;
  }

  private boolean isNumber(String text) {
    return numbers.containsKey(text) || text.matches("[+-]?(0x[0-9a-fA-F]+|\\d+)");
  }

  /** A number, or a sum of numbers and names without spaces. */
  long number(int line, String text) {
    Long named = numbers.get(text);
    if (named != null) {
      return named;
    }
    try {
      return Long.decode(text.toLowerCase(Locale.ROOT));
    } catch (NumberFormatException e) {
      throw new AssemblyException(line, "not a number: " + text);
    }
  }
}
