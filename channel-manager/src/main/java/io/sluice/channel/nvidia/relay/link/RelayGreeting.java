package io.sluice.channel.nvidia.relay.link;

import io.sluice.abi.relay.RelayNode;
import io.sluice.abi.relay.RelayShape;
import io.sluice.abi.rm.program.BlockShape;
import io.sluice.abi.rm.program.ProgramClass;
import io.sluice.abi.rm.program.ProgramControl;
import io.sluice.abi.rm.program.ProgramEscape;
import io.sluice.abi.rm.program.UvmCommand;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/** The answer to HELLO: the shapes of calls, and the nodes there are. */
public final class RelayGreeting {
  private record Shape(int kind, int key, int bytes, int offset, int count, int element) {}

  private RelayGreeting() {}

  /** Writes it: its bytes. */
  public static long write(MemorySegment body, List<Node> nodes) {
    List<Shape> shapes = shapes();
    body.set(ValueLayout.JAVA_INT, 0, shapes.size());
    body.set(ValueLayout.JAVA_INT, Integer.BYTES, nodes.size());
    long at = 2 * Integer.BYTES;
    for (Shape shape : shapes) {
      MemorySegment to = body.asSlice(at, RelayShape.SIZE);
      RelayShape.KIND.setBits(to, shape.kind());
      RelayShape.KEY.setBits(to, shape.key());
      RelayShape.BYTES.setBits(to, shape.bytes());
      RelayShape.OFFSET.setBits(to, shape.offset());
      RelayShape.COUNT.setBits(to, shape.count());
      RelayShape.ELEMENT.setBits(to, shape.element());
      at += RelayShape.SIZE;
    }
    for (Node node : nodes) {
      MemorySegment to = body.asSlice(at, RelayNode.SIZE).fill((byte) 0);
      RelayNode.NAME.slice(to).setString(0, node.name());
      RelayNode.KIND.setBits(to, node.kind() == Node.Kind.UVM ? RelayNode.UVM : RelayNode.RM);
      RelayNode.MAJOR.setBits(to, node.major());
      RelayNode.MINOR.setBits(to, node.minor());
      RelayNode.MODE.setBits(to, node.mode());
      at += RelayNode.SIZE;
    }
    return at;
  }

  private static List<Shape> shapes() {
    List<Shape> shapes = new ArrayList<>();
    for (UvmCommand command : UvmCommand.values()) {
      BlockShape shape = command.shape();
      shapes.add(new Shape(RelayShape.UVM, command.number(), shape.bytes(), 0, 0, 0));
      shape
          .descriptors()
          .forEach(at -> shapes.add(new Shape(RelayShape.FD_UVM, command.number(), 0, at, 0, 0)));
    }
    for (ProgramClass type : ProgramClass.values()) {
      BlockShape shape = type.shape();
      shapes.add(new Shape(RelayShape.CLASS, type.number(), shape.bytes(), 0, 0, 0));
      shape
          .descriptors()
          .forEach(at -> shapes.add(new Shape(RelayShape.FD_CLASS, type.number(), 0, at, 0, 0)));
    }
    for (ProgramControl control : ProgramControl.values()) {
      for (BlockShape.ListShape list : control.shape().lists()) {
        shapes.add(
            new Shape(
                RelayShape.NESTED,
                control.command(),
                0,
                list.pointer(),
                list.count(),
                list.element()));
      }
    }
    for (ProgramEscape escape : ProgramEscape.values()) {
      escape
          .shape()
          .descriptors()
          .forEach(at -> shapes.add(new Shape(RelayShape.FD_RM, escape.nr(), 0, at, 0, 0)));
    }
    return shapes;
  }
}
