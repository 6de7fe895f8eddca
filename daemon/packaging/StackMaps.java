import java.io.IOException;
import java.io.OutputStream;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassFile.ClassHierarchyResolverOption;
import java.lang.classfile.ClassFile.StackMapsOption;
import java.lang.classfile.ClassHierarchyResolver;
import java.lang.classfile.ClassModel;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeTransform;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/**
 * Writes a jar anew, in which classes of Java 5 or older, which have no stack maps, have some, and are of Java 8. A JVM
 * keeps no class without them in an AOT cache, and verifies it the slow way at each start. Nothing else changes.
 * Run from its source: {@code java StackMaps.java JAR NEW-JAR}.
 */
final class StackMaps {
  private static final int FIRST_WITH_STACK_MAPS = 50;

  private StackMaps() {}

  public static void main(String[] arguments) throws IOException {
    Path from = Path.of(arguments[0]);
    Path to = Path.of(arguments[1]);
    URL[] classes = {from.toUri().toURL()};
    try (JarFile jar = new JarFile(from.toFile());
        URLClassLoader loader = new URLClassLoader(classes, ClassLoader.getPlatformClassLoader());
        OutputStream file = Files.newOutputStream(to);
        ZipOutputStream out = new ZipOutputStream(file)) {
      ClassFile format =
          ClassFile.of(
              StackMapsOption.GENERATE_STACK_MAPS,
              ClassHierarchyResolverOption.of(ClassHierarchyResolver.ofResourceParsing(loader)));
      for (JarEntry entry : jar.stream().toList()) {
        byte[] bytes = jar.getInputStream(entry).readAllBytes();
        ZipEntry written = new ZipEntry(entry.getName());
        written.setTime(entry.getTime());
        out.putNextEntry(written);
        out.write(entry.getName().endsWith(".class") ? withStackMaps(format, bytes) : bytes);
        out.closeEntry();
      }
    }
  }

  private static byte[] withStackMaps(ClassFile format, byte[] bytes) {
    ClassModel model = format.parse(bytes);
    if (model.majorVersion() >= FIRST_WITH_STACK_MAPS) {
      return bytes;
    }
    return format.transformClass(
        model,
        ClassTransform.transformingMethodBodies(CodeTransform.ACCEPT_ALL)
            .andThen(ClassTransform.endHandler(builder -> builder.withVersion(ClassFile.JAVA_8_VERSION, 0))));
  }
}
