package io.sluice.remoting.opencl;

import io.sluice.remoting.session.SessionObject;
import java.util.List;

/**
 * Objects that are worked with though the application may release them meanwhile: retained.
 *
 * @param objects each of a kind that {@linkplain #canBe can be}
 */
record Retained(List<SessionObject> objects) implements AutoCloseable {
  static Retained of(List<SessionObject> objects) {
    List<SessionObject> some = objects.stream().filter(Retained::canBe).toList();
    some.forEach(Retained::retain);
    return new Retained(some);
  }

  /** Whether an object is one that is retained: those that have something of their own to lose. */
  static boolean canBe(SessionObject object) {
    return switch (object.kind().name()) {
      case "context", "device", "program", "mem", "sampler" -> true;
      case "event" -> object.handle() != 0;
      default -> false;
    };
  }

  static void retain(SessionObject object) {
    int _ =
        switch (object.kind().name()) {
          case "context" -> OpenClLibrary.clRetainContext(object.handle());
          case "device" -> OpenClLibrary.clRetainDevice(object.handle());
          case "program" -> OpenClLibrary.clRetainProgram(object.handle());
          case "mem" -> OpenClLibrary.clRetainMemObject(object.handle());
          case "sampler" -> OpenClLibrary.clRetainSampler(object.handle());
          case "event" -> OpenClLibrary.clRetainEvent(object.handle());
          default -> throw new AssertionError(object.kind().name());
        };
  }

  static void release(SessionObject object) {
    int _ = Objects.releaseNative(object);
  }

  @Override
  public void close() {
    objects.forEach(Retained::release);
  }
}
