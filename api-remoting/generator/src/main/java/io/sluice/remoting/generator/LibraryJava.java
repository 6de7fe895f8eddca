package io.sluice.remoting.generator;

import com.palantir.javapoet.ClassName;
import com.palantir.javapoet.CodeBlock;
import com.palantir.javapoet.FieldSpec;
import com.palantir.javapoet.JavaFile;
import com.palantir.javapoet.MethodSpec;
import com.palantir.javapoet.TypeName;
import com.palantir.javapoet.TypeSpec;
import io.sluice.remoting.generator.LibraryFunction.Argument;
import io.sluice.remoting.generator.LibraryFunction.Size;
import java.lang.invoke.MethodHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import javax.lang.model.element.Modifier;

/** The Java binding of a library: a constant handle and a method for each function. */
final class LibraryJava {
  private static final ClassName SEGMENT = ClassName.get("java.lang.foreign", "MemorySegment");
  private static final ClassName LAYOUT = ClassName.get("java.lang.foreign", "ValueLayout");

  static JavaFile of(FunctionSpec spec, String packageName, String className) {
    ClassName self = ClassName.get(packageName, className);
    ClassName loader = ClassName.get(packageName, "NativeLibrary");
    TypeSpec.Builder type =
        TypeSpec.classBuilder(self)
            .addModifiers(Modifier.FINAL)
            .addJavadoc(
                "The functions of lib$L; see the Khronos specification for each.\n", spec.library())
            .addField(
                FieldSpec.builder(
                        loader, "LIBRARY", Modifier.PRIVATE, Modifier.STATIC, Modifier.FINAL)
                    .initializer("$T.open($S)", loader, "lib" + spec.library() + ".so.1")
                    .build())
            .addMethod(MethodSpec.constructorBuilder().addModifiers(Modifier.PRIVATE).build());
    for (LibraryFunction function : spec.functions()) {
      type.addField(handle(function)).addMethod(method(function));
    }
    return JavaFile.builder(packageName, type.build()).build();
  }

  private static FieldSpec handle(LibraryFunction function) {
    List<CodeBlock> layouts = new ArrayList<>();
    layouts.add(layout(function.result()));
    function.arguments().forEach(argument -> layouts.add(layout(argument.size())));
    return FieldSpec.builder(
            MethodHandle.class,
            constant(function),
            Modifier.PRIVATE,
            Modifier.STATIC,
            Modifier.FINAL)
        .initializer(
            "LIBRARY.$L($S, $L)",
            function.optional() ? "optional" : "function",
            function.name(),
            CodeBlock.join(layouts, ", "))
        .build();
  }

  private static MethodSpec method(LibraryFunction function) {
    MethodSpec.Builder method =
        MethodSpec.methodBuilder(function.name())
            .addModifiers(Modifier.STATIC)
            .returns(type(function.result()));
    List<CodeBlock> names = new ArrayList<>();
    for (Argument argument : function.arguments()) {
      method.addParameter(type(argument.size()), argument.name());
      names.add(CodeBlock.of("$L", argument.name()));
    }
    return method
        .beginControlFlow("try")
        .addStatement(
            "return ($T) $L.invokeExact($L)",
            type(function.result()),
            constant(function),
            CodeBlock.join(names, ", "))
        .nextControlFlow("catch ($T failure)", Throwable.class)
        .addStatement(
            "throw $T.failed($S, failure)", ClassName.bestGuess("NativeLibrary"), function.name())
        .endControlFlow()
        .build();
  }

  private static String constant(LibraryFunction function) {
    return Words.snake(function.name()).toUpperCase(Locale.ROOT);
  }

  private static CodeBlock layout(Size size) {
    return switch (size) {
      case INT -> CodeBlock.of("$T.JAVA_INT", LAYOUT);
      case LONG, HANDLE -> CodeBlock.of("$T.JAVA_LONG", LAYOUT);
      case PTR -> CodeBlock.of("$T.ADDRESS", LAYOUT);
    };
  }

  private static TypeName type(Size size) {
    return switch (size) {
      case INT -> TypeName.INT;
      case LONG, HANDLE -> TypeName.LONG;
      case PTR -> SEGMENT;
    };
  }

  private LibraryJava() {}
}
