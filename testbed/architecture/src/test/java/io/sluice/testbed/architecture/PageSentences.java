package io.sluice.testbed.architecture;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The sentences of a page in Markdown: of its paragraphs and lists, not of code, tables, headings
 * and pictures. Code within a line is one word, and so is a number; of a link the text counts.
 */
final class PageSentences {
  private static final Pattern FENCE = Pattern.compile("\\s*```.*");
  private static final Pattern NO_PROSE = Pattern.compile("\\s*(\\||#|!\\[|<).*");
  private static final Pattern ITEM = Pattern.compile("\\s*[*-]\\s+");
  private static final Pattern NUMBERED = Pattern.compile("\\s*\\d+\\.\\s+");
  private static final Pattern FIRST =
      Pattern.compile("\\s*1\\.\\s+"); // alone begins a list in a paragraph
  private static final Pattern QUOTE = Pattern.compile("^\\s*(>\\s*)+");
  private static final Pattern CODE = Pattern.compile("`[^`]*`");
  private static final Pattern LINK = Pattern.compile("\\[([^\\]]*)]\\([^)]*\\)");
  private static final Pattern END = Pattern.compile("(?<=[.!?:])\\s+(?=[\\p{Lu}`(*\\[])");
  private static final Pattern WORD = Pattern.compile("[\\p{L}\\p{N}]['’\\-,.\\p{L}\\p{N}]*");
  private static final String CODE_WORD = "Code";

  private final List<String> sentences = new ArrayList<>();
  private final StringBuilder paragraph = new StringBuilder();
  private boolean numbered; // the paragraph is an item of a numbered list

  private PageSentences() {}

  /** Those of a page, in order, with code in them as one word. */
  static List<String> of(String page) {
    PageSentences all = new PageSentences();
    boolean fenced = false;
    for (String line : page.lines().toList()) {
      boolean fence = FENCE.matcher(line).matches();
      fenced ^= fence;
      String prose = QUOTE.matcher(line).replaceFirst("");
      if (fence || fenced || prose.isBlank() || NO_PROSE.matcher(prose).matches()) {
        all.endParagraph();
      } else {
        all.take(prose);
      }
    }
    all.endParagraph();
    return all.sentences;
  }

  private void take(String line) {
    boolean number = isNumber(line);
    if (number || ITEM.matcher(line).lookingAt()) {
      endParagraph();
      numbered = number;
    }
    Pattern marker = number ? NUMBERED : ITEM;
    paragraph.append(marker.matcher(line).replaceFirst("").strip()).append(' ');
  }

  /** Whether a line begins an item, and not only with a number that ends a sentence. */
  private boolean isNumber(String line) {
    boolean within = !paragraph.isEmpty() && !numbered;
    return (within ? FIRST : NUMBERED).matcher(line).lookingAt();
  }

  private void endParagraph() {
    String text = CODE.matcher(paragraph).replaceAll(CODE_WORD);
    text = LINK.matcher(text).replaceAll("$1");
    Stream.of(END.split(text)).map(String::strip).filter(s -> !s.isEmpty()).forEach(sentences::add);
    paragraph.setLength(0);
    numbered = false;
  }

  /** How many words a sentence has. */
  static int words(String sentence) {
    return (int) WORD.matcher(sentence).results().count();
  }
}
