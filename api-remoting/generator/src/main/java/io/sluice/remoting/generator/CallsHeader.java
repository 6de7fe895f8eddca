package io.sluice.remoting.generator;

import java.util.Locale;

/** The C header by which a guest library encodes calls: a structure and a function for each. */
final class CallsHeader {
  private final CallSpec spec;
  private final StringBuilder out = new StringBuilder();

  private CallsHeader(CallSpec spec) {
    this.spec = spec;
  }

  static String of(CallSpec spec) {
    return new CallsHeader(spec).text();
  }

  private String text() {
    String guard = "SLUICE_" + spec.api().toUpperCase(Locale.ROOT) + "_CALLS_H";
    line("/* The calls of api-remoting/spec/%s.calls, encoded; generated from it. */", spec.api());
    line("#ifndef %s", guard);
    line("#define %s", guard);
    line("");
    line("#include \"message.h\"");
    line("");
    line("#define SLUICE_API_%s %d", spec.api().toUpperCase(Locale.ROOT), spec.number());
    line("");
    for (KindSpec kind : spec.kinds()) {
      String name = Words.screaming(kind.name());
      line("#define KIND_%s %d", name, kind.number());
      line("#define KIND_%s_MOST %d", name, kind.most());
    }
    for (Call call : spec.calls()) {
      structure(call);
      function(call);
    }
    line("");
    line("#endif");
    return out.toString();
  }

  private void structure(Call call) {
    line("");
    line("#define CALL_%s %d", Words.screaming(call.name()), call.number());
    if (!call.comment().isEmpty()) {
      line("/* %s */", call.comment());
    }
    line("struct call_%s {", Words.snake(call.name()));
    for (Parameter parameter : call.parameters()) {
      field(parameter);
    }
    line("};");
  }

  private void field(Parameter parameter) {
    String name = Words.snake(parameter.name());
    switch (parameter.type()) {
      case INT, NEW, OBJECT, OPTIONAL_OBJECT -> line("\tuint32_t %s;", name);
      case LONG -> line("\tuint64_t %s;", name);
      case RANGE, OPTIONAL_RANGE, ROOM, OPTIONAL_ROOM -> line("\tstruct range %s;", name);
      case STRING -> line("\tconst char *%s;", name);
      case BYTES -> counted("const void *", name);
      case OBJECTS -> counted("const uint32_t *", name);
      case LONGS -> counted("const uint64_t *", name);
    }
  }

  private void counted(String type, String name) {
    line("\t%s%s;", type, name);
    line("\tuint32_t %s_count;", name);
  }

  private void function(Call call) {
    String name = Words.snake(call.name());
    line("");
    line(
        "static inline int32_t call_%s(struct session *session, const struct call_%s *c,",
        name, name);
    line("\t\tstruct answer *answer)");
    line("{");
    line("\tstruct message m;");
    line("\tsize_t bytes = MESSAGE_HEADER_BYTES%s;", sizes(call));
    line(
        "\tint32_t status = message_begin(&m, session, CALL_%s, bytes);",
        Words.screaming(call.name()));
    line("\tif (status)");
    line("\t\treturn status;");
    for (Parameter parameter : call.parameters()) {
      put(parameter);
    }
    line("\treturn message_send(&m, answer);");
    line("}");
  }

  private static String sizes(Call call) {
    StringBuilder sum = new StringBuilder();
    for (Parameter parameter : call.parameters()) {
      String name = Words.snake(parameter.name());
      sum.append(
          switch (parameter.type()) {
            case INT, LONG, NEW, OBJECT, OPTIONAL_OBJECT -> " + 8";
            case RANGE, OPTIONAL_RANGE, ROOM, OPTIONAL_ROOM -> " + 16";
            case STRING -> " + message_string_bytes(c->" + name + ")";
            case BYTES -> " + message_bytes_bytes(c->" + name + "_count)";
            case OBJECTS, LONGS -> " + 8 + 8 * (size_t)c->" + name + "_count";
          });
    }
    return sum.toString();
  }

  private void put(Parameter parameter) {
    String name = Words.snake(parameter.name());
    switch (parameter.type()) {
      case INT, LONG, NEW, OBJECT, OPTIONAL_OBJECT -> line("\tmessage_u64(&m, c->%s);", name);
      case RANGE, OPTIONAL_RANGE, ROOM, OPTIONAL_ROOM -> {
        line("\tmessage_u64(&m, c->%s.place);", name);
        line("\tmessage_u64(&m, c->%s.size);", name);
      }
      case STRING -> line("\tmessage_string(&m, c->%s);", name);
      case BYTES -> line("\tmessage_bytes(&m, c->%s, c->%s_count);", name, name);
      case OBJECTS -> line("\tmessage_indices(&m, c->%s, c->%s_count);", name, name);
      case LONGS -> line("\tmessage_longs(&m, c->%s, c->%s_count);", name, name);
    }
  }

  private void line(String format, Object... arguments) {
    out.append(arguments.length == 0 ? format : String.format(Locale.ROOT, format, arguments))
        .append('\n');
  }
}
