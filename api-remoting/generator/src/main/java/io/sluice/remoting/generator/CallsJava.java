package io.sluice.remoting.generator;

import com.palantir.javapoet.ArrayTypeName;
import com.palantir.javapoet.ClassName;
import com.palantir.javapoet.CodeBlock;
import com.palantir.javapoet.JavaFile;
import com.palantir.javapoet.MethodSpec;
import com.palantir.javapoet.ParameterSpec;
import com.palantir.javapoet.ParameterizedTypeName;
import com.palantir.javapoet.TypeName;
import com.palantir.javapoet.TypeSpec;
import java.util.ArrayList;
import java.util.List;
import javax.lang.model.element.Modifier;

/**
 * The Java by which the session host decodes calls: a sealed interface, a record for each call, and
 * the decoder.
 */
final class CallsJava {
  private static final String SESSION = "io.sluice.remoting.session";
  private static final ClassName READER = ClassName.get(SESSION, "CallReader");
  private static final ClassName OBJECT = ClassName.get(SESSION, "SessionObject");
  private static final ClassName KIND = ClassName.get(SESSION, "ObjectKind");
  private static final ClassName SHAPE = ClassName.get("io.sluice.remoting.relay", "CallShape");
  private static final ClassName SEGMENT = ClassName.get("java.lang.foreign", "MemorySegment");
  private static final ClassName NULLABLE = ClassName.get("org.jspecify.annotations", "Nullable");
  private static final ClassName LIST = ClassName.get(List.class);

  private final CallSpec spec;
  private final ClassName self;
  private final ClassName kinds;

  private CallsJava(CallSpec spec, String packageName, String prefix) {
    this.spec = spec;
    self = ClassName.get(packageName, prefix + "Call");
    kinds = ClassName.get(packageName, prefix + "Kinds");
  }

  /** The sealed interface of all calls. */
  static JavaFile calls(CallSpec spec, String packageName, String prefix) {
    CallsJava writer = new CallsJava(spec, packageName, prefix);
    return JavaFile.builder(packageName, writer.sealedInterface()).build();
  }

  /** The constants of all kinds. */
  static JavaFile kinds(CallSpec spec, String packageName, String prefix) {
    CallsJava writer = new CallsJava(spec, packageName, prefix);
    return JavaFile.builder(packageName, writer.kindConstants()).build();
  }

  /** The shapes of all messages. */
  static JavaFile shapes(CallSpec spec, String packageName, String prefix) {
    CallsJava writer = new CallsJava(spec, packageName, prefix);
    return JavaFile.builder(packageName, writer.shapeTable(prefix)).build();
  }

  private TypeSpec shapeTable(String prefix) {
    ClassName map = ClassName.get("java.util", "Map");
    CodeBlock.Builder all = CodeBlock.builder().add("$T.ofEntries(", map);
    String before = "";
    for (Call call : spec.calls()) {
      all.add("$L\n$T.entry($L, new $T($S))", before, map, call.number(), SHAPE, shape(call));
      before = ",";
    }
    return TypeSpec.classBuilder(prefix + "Shapes")
        .addModifiers(Modifier.FINAL)
        .addJavadoc("The shapes of the messages of api-remoting/spec/$L.calls.\n", spec.api())
        .addMethod(MethodSpec.constructorBuilder().addModifiers(Modifier.PRIVATE).build())
        .addField(
            com.palantir.javapoet.FieldSpec.builder(
                    ParameterizedTypeName.get(map, ClassName.get(Integer.class), SHAPE),
                    "ALL",
                    Modifier.STATIC,
                    Modifier.FINAL)
                .initializer(all.add(")").build())
                .build())
        .build();
  }

  private static String shape(Call call) {
    StringBuilder letters = new StringBuilder();
    for (Parameter parameter : call.parameters()) {
      letters.append(
          switch (parameter.type()) {
            case INT, LONG, NEW, OBJECT, OPTIONAL_OBJECT -> 'n';
            case OBJECTS, LONGS -> 'l';
            case STRING, BYTES -> 'b';
            case RANGE, OPTIONAL_RANGE -> 'r';
            case ROOM, OPTIONAL_ROOM -> 'w';
          });
    }
    return letters.toString();
  }

  private TypeSpec sealedInterface() {
    TypeSpec.Builder type =
        TypeSpec.interfaceBuilder(self)
            .addModifiers(Modifier.SEALED)
            .addJavadoc("A call of api-remoting/spec/$L.calls, decoded and checked.\n", spec.api());
    for (Call call : spec.calls()) {
      type.addType(callRecord(call)).addPermittedSubclass(nested(call));
    }
    return type.addMethod(decoder()).build();
  }

  private ClassName nested(Call call) {
    return self.nestedClass(Words.pascal(call.name()));
  }

  private TypeSpec callRecord(Call call) {
    MethodSpec.Builder components = MethodSpec.constructorBuilder();
    for (Parameter parameter : call.parameters()) {
      components.addParameter(ParameterSpec.builder(type(parameter), parameter.name()).build());
    }
    return TypeSpec.recordBuilder(Words.pascal(call.name()))
        .addModifiers(Modifier.PUBLIC, Modifier.STATIC)
        .addSuperinterface(self)
        .addJavadoc("Call $L.\n", call.number())
        .recordConstructor(components.build())
        .build();
  }

  private static TypeName type(Parameter parameter) {
    return switch (parameter.type()) {
      case INT, NEW -> TypeName.INT;
      case LONG -> TypeName.LONG;
      case OBJECT -> OBJECT;
      case OPTIONAL_OBJECT ->
          OBJECT.annotated(com.palantir.javapoet.AnnotationSpec.builder(NULLABLE).build());
      case OBJECTS -> ParameterizedTypeName.get(LIST, OBJECT);
      case RANGE, OPTIONAL_RANGE, ROOM, OPTIONAL_ROOM -> SEGMENT;
      case STRING -> ClassName.get(String.class);
      case BYTES -> ArrayTypeName.of(TypeName.BYTE);
      case LONGS -> ArrayTypeName.of(TypeName.LONG);
    };
  }

  private MethodSpec decoder() {
    MethodSpec.Builder method =
        MethodSpec.methodBuilder("decode")
            .addModifiers(Modifier.PUBLIC, Modifier.STATIC)
            .addParameter(TypeName.INT, "number")
            .addParameter(READER, "in")
            .returns(self)
            .addJavadoc("Decodes the parameters of a call by its number.\n")
            .beginControlFlow("return switch (number)");
    for (Call call : spec.calls()) {
      List<CodeBlock> values = new ArrayList<>();
      for (Parameter parameter : call.parameters()) {
        values.add(read(parameter));
      }
      method.addStatement(
          "case $L -> new $T($L)", call.number(), nested(call), CodeBlock.join(values, ", "));
    }
    return method.addStatement("default -> throw in.unknown(number)").addCode("$<};\n").build();
  }

  private CodeBlock read(Parameter parameter) {
    String kind = Words.screaming(parameter.kind());
    return switch (parameter.type()) {
      case INT -> CodeBlock.of("in.readInt()");
      case LONG -> CodeBlock.of("in.readLong()");
      case NEW -> CodeBlock.of("in.readNew($T.$L)", kinds, kind);
      case OBJECT -> CodeBlock.of("in.readObject($T.$L)", kinds, kind);
      case OPTIONAL_OBJECT -> CodeBlock.of("in.readOptional($T.$L)", kinds, kind);
      case OBJECTS -> CodeBlock.of("in.readObjects($T.$L)", kinds, kind);
      case RANGE, ROOM -> CodeBlock.of("in.readRange()");
      case OPTIONAL_RANGE, OPTIONAL_ROOM -> CodeBlock.of("in.readOptionalRange()");
      case STRING -> CodeBlock.of("in.readString()");
      case BYTES -> CodeBlock.of("in.readBytes()");
      case LONGS -> CodeBlock.of("in.readLongs()");
    };
  }

  private TypeSpec kindConstants() {
    TypeSpec.Builder type =
        TypeSpec.classBuilder(kinds)
            .addModifiers(Modifier.FINAL)
            .addJavadoc("The kinds of objects of api-remoting/spec/$L.calls.\n", spec.api())
            .addMethod(MethodSpec.constructorBuilder().addModifiers(Modifier.PRIVATE).build());
    CodeBlock.Builder all = CodeBlock.builder().add("$T.of(", LIST);
    for (KindSpec kind : spec.kinds()) {
      String name = Words.screaming(kind.name());
      type.addField(
          com.palantir.javapoet.FieldSpec.builder(KIND, name, Modifier.STATIC, Modifier.FINAL)
              .initializer("new $T($L, $S, $L)", KIND, kind.number(), kind.name(), kind.most())
              .build());
      all.add(kind.number() == 1 ? "$L" : ", $L", name);
    }
    return type.addField(
            com.palantir.javapoet.FieldSpec.builder(
                    ParameterizedTypeName.get(LIST, KIND), "ALL", Modifier.STATIC, Modifier.FINAL)
                .initializer(all.add(")").build())
                .build())
        .build();
  }
}
