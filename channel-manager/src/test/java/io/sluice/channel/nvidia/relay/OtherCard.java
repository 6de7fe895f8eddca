package io.sluice.channel.nvidia.relay;

import io.sluice.abi.sys.Fd;
import io.sluice.channel.nvidia.relay.card.DriverPort;
import io.sluice.channel.nvidia.relay.card.ProgramCopier;
import io.sluice.channel.nvidia.relay.link.Node;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** The second card of a driver in memory: its own node and copier, and the same calls. */
final class OtherCard implements DriverPort, ProgramCopier {
  static final int OTHER_IDLE_TOKEN = 0x9_0001;

  private final FakeDriver driver;

  OtherCard(FakeDriver driver) {
    this.driver = driver;
  }

  @Override
  public List<Node> nodes() {
    return List.of(
        new Node("nvidiactl", Node.Kind.CONTROL, 195, 255, 0x21b6),
        new Node("nvidia1", Node.Kind.CARD, 195, 1, 0x21b6),
        new Node("nvidia-uvm", Node.Kind.UVM, 511, 0, 0x21b6));
  }

  @Override
  public Fd open(Node node) {
    return driver.open(node);
  }

  @Override
  public int ioctl(Fd file, int request, MemorySegment argument, List<MemorySegment> blocks) {
    return driver.ioctl(file, request, argument, blocks);
  }

  @Override
  public void copy(int client, int from, int to, long bytes) {
    driver.copy(client, from, to, bytes);
  }

  @Override
  public KeptContents keep(int client, int object, long bytes) {
    return driver.keep(client, object, bytes);
  }

  @Override
  public int idleToken() {
    return OTHER_IDLE_TOKEN;
  }

  @Override
  public void ring(int token) {
    driver.ring(token);
  }

  @Override
  public void clear(int client, int object, long bytes) {
    driver.clear(client, object, bytes);
  }
}
