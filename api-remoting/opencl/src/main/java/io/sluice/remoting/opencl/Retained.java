package io.sluice.remoting.opencl;

import io.sluice.remoting.session.SessionObject;
import java.util.List;

/**
 * Objects that another thread works with: retained, since the application may release them
 * meanwhile.
 *
 * @param objects contexts, devices and programs
 */
record Retained(List<SessionObject> objects) implements AutoCloseable {
  static Retained of(List<SessionObject> objects) {
    objects.forEach(Retained::retain);
    return new Retained(List.copyOf(objects));
  }

  private static void retain(SessionObject object) {
    int _ =
        switch (object.kind().name()) {
          case "context" -> OpenClLibrary.clRetainContext(object.handle());
          case "device" -> OpenClLibrary.clRetainDevice(object.handle());
          case "program" -> OpenClLibrary.clRetainProgram(object.handle());
          default -> throw new AssertionError(object.kind().name());
        };
  }

  @Override
  public void close() {
    for (SessionObject object : objects) {
      int _ = Objects.releaseNative(object);
    }
  }
}
