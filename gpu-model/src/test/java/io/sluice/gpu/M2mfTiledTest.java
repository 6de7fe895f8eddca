package io.sluice.gpu;

import static io.sluice.gpu.Words.constant;
import static io.sluice.gpu.Words.increasing;
import static io.sluice.gpu.Words.join;
import static io.sluice.gpu.Words.one;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.guest.GuestAbi;
import io.sluice.abi.pscnv.PscnvGem;
import io.sluice.testbed.fakes.Seeds;
import java.lang.foreign.ValueLayout;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Block-linear copies of M2MF, against an image that is laid out byte after byte in the order of
 * memory: no formula for an address stands in this test.
 */
@ExtendWith(Seeds.class)
class M2mfTiledTest {
  private static final ValueLayout.OfByte BYTE = ValueLayout.JAVA_BYTE;
  private static final int SUBCHANNEL = 2;
  private static final int SOURCE_PITCH = 1 << 4;
  private static final int TARGET_PITCH = 1 << 8;
  private static final int INLINE = 1;
  private static final int BYTES = 256 << 10;

  private final Rig rig = new Rig();
  private final Client client = rig.open();
  private final int vid = client.vspaceNew();
  private final GuestChannel channel = client.channel(vid);
  private final Client.Memory source = client.memory(vid, PscnvGem.SYSRAM_SNOOP, BYTES);
  private final Client.Memory target = client.memory(vid, PscnvGem.SYSRAM_SNOOP, BYTES);

  /** A byte of an image. */
  private record Place(int x, int y, int z) {}

  /** An image: its size, and log2 of its blocks' height and depth. */
  private record Image(int widthBytes, int lines, int layers, int height, int depth) {
    int blockWord() {
      return height << 4 | depth << 8;
    }

    /** Where each byte is, by walking through memory as Fermi fills it. */
    Map<Place, Integer> layOut() {
      Map<Place, Integer> places = new HashMap<>();
      int at = 0;
      for (int blockZ = 0; blockZ < layers; blockZ += 1 << depth) {
        for (int blockY = 0; blockY < lines; blockY += 8 << height) {
          for (int blockX = 0; blockX < widthBytes; blockX += 64) {
            for (int z = blockZ; z < blockZ + (1 << depth); z++) {
              for (int gobY = blockY; gobY < blockY + (8 << height); gobY += 8) {
                for (int y = gobY; y < gobY + 8; y++) {
                  for (int x = blockX; x < blockX + 64; x++) {
                    places.put(new Place(x, y, z), at++);
                  }
                }
              }
            }
          }
        }
      }
      return places;
    }
  }

  private static int at(Map<Place, Integer> places, int x, int y, int z) {
    return Objects.requireNonNull(places.get(new Place(x, y, z)));
  }

  @BeforeEach
  void fill() {
    for (int i = 0; i < BYTES; i++) {
      source.bytes().set(BYTE, i, (byte) (i * 7 + (i >> 8) * 3 + (i >> 16)));
    }
    channel.submit(one(SUBCHANNEL, 0, 0x9039));
  }

  @AfterEach
  void close() {
    rig.close();
  }

  private int[] addresses(long from, long to) {
    return join(
        new int[] {increasing(SUBCHANNEL, 0x238, 2), (int) (to >>> 32), (int) to},
        new int[] {increasing(SUBCHANNEL, 0x30c, 2), (int) (from >>> 32), (int) from});
  }

  private static int[] size(int pitch, int line, int lines) {
    return new int[] {increasing(SUBCHANNEL, 0x314, 4), pitch, pitch, line, lines};
  }

  private static int[] tiles(int first, Image image, int layer) {
    return new int[] {
      increasing(SUBCHANNEL, first, 5),
      image.blockWord(),
      image.widthBytes(),
      image.lines(),
      image.layers(),
      layer
    };
  }

  private static int[] origin(int first, int x, int y) {
    return new int[] {increasing(SUBCHANNEL, first, 2), x, y};
  }

  private static int[] launch(int flags) {
    return one(SUBCHANNEL, 0x300, flags);
  }

  private void run(int[]... words) {
    channel.submit(join(words));
    rig.run();
  }

  private byte sourceByte(int at) {
    return source.bytes().get(BYTE, at);
  }

  private byte targetByte(int at) {
    return target.bytes().get(BYTE, at);
  }

  // ---- what ends a channel ----

  @ParameterizedTest
  @ValueSource(ints = {1, 0x60, 0x600, 0x1000, 0xf0, -1})
  void launch_blockSizeThatIsNone_isAnInvalidEnum(int word) {
    run(
        addresses(source.va(), target.va()),
        one(SUBCHANNEL, 0x220, word),
        size(64, 64, 1),
        launch(SOURCE_PITCH));
    assertThat(channel.reason()).isEqualTo(GuestAbi.ERROR_ENGINE);
    assertThat(channel.info()).isEqualTo(5);
    assertThat(channel.faultAddress()).isEqualTo(0x220);
  }

  @ParameterizedTest
  @CsvSource({"256, 0, 0x100", "0, 64, 0x10"})
  void launch_imageNotOnAGob_isAnAlignmentError(int from, int to, String flags) {
    run(
        addresses(source.va() + from, target.va() + to),
        size(64, 64, 1),
        launch(Integer.decode(flags)));
    assertThat(channel.reason()).isEqualTo(GuestAbi.ERROR_ENGINE);
    assertThat(channel.info()).isEqualTo(0xb);
  }

  @Test
  void launch_imageThatLeavesItsMapping_isAFault() {
    Image image = new Image(64, 1 << 20, 1, 0, 0);
    run(
        addresses(source.va(), target.va()),
        tiles(0x220, image, 0),
        origin(0x34c, 0, 1 << 20),
        size(64, 64, 1),
        launch(SOURCE_PITCH));
    assertThat(channel.reason()).isEqualTo(GuestAbi.ERROR_PAGE_FAULT);
  }

  @Test
  void launch_numbersAtTheirLimits_endsThisChannelOnly() {
    Image image = new Image(-1, -1, -1, 5, 5);
    run(
        addresses(source.va(), target.va()),
        tiles(0x204, image, -1),
        tiles(0x220, image, -1),
        origin(0x344, -1, -1),
        origin(0x34c, -1, -1),
        size(-1, -1, -1),
        launch(0));
    assertThat(channel.reason()).isEqualTo(GuestAbi.ERROR_PAGE_FAULT);
  }

  // ---- what it does ----

  @ParameterizedTest
  @CsvSource({
    "64, 8, 1, 0, 0",
    "100, 17, 1, 1, 0",
    "200, 40, 3, 2, 1",
    "130, 33, 5, 0, 2",
    "65, 9, 2, 5, 1",
    "63, 7, 3, 1, 5"
  })
  void toTilesAndBack_wholeLayer_isAsLaidOut(int width, int lines, int layers, int h, int d) {
    Image image = new Image(width, lines, layers, h, d);
    Map<Place, Integer> places = image.layOut();
    int layer = layers - 1;
    run(
        addresses(source.va(), target.va()),
        tiles(0x220, image, layer),
        size(width, width, lines),
        launch(SOURCE_PITCH));
    for (int y = 0; y < lines; y++) {
      for (int x = 0; x < width; x++) {
        assertThat(targetByte(at(places, x, y, layer))).isEqualTo(sourceByte(y * width + x));
      }
    }
    source.bytes().fill((byte) 0);
    run(
        addresses(target.va(), source.va()),
        tiles(0x204, image, layer),
        size(width, width, lines),
        launch(TARGET_PITCH));
    for (int i = 0; i < lines * width; i++) {
      assertThat(sourceByte(i)).isEqualTo((byte) (i * 7 + (i >> 8) * 3 + (i >> 16)));
    }
  }

  @Test
  void betweenTiles_atRandomOrigins_isAsLaidOut(RandomGenerator random) {
    for (int round = 0; round < 20; round++) {
      Image from = new Image(1 + random.nextInt(200), 48, 2, random.nextInt(3), random.nextInt(2));
      Image to = new Image(1 + random.nextInt(200), 48, 2, random.nextInt(3), random.nextInt(2));
      int line = 1 + random.nextInt(Math.min(from.widthBytes(), to.widthBytes()));
      int fromX = random.nextInt(from.widthBytes() - line + 1);
      int toX = random.nextInt(to.widthBytes() - line + 1);
      int fromY = random.nextInt(20);
      int toY = random.nextInt(20);
      int lines = 1 + random.nextInt(28);
      Map<Place, Integer> in = from.layOut();
      Map<Place, Integer> out = to.layOut();
      run(
          addresses(source.va(), target.va()),
          tiles(0x204, from, 1),
          tiles(0x220, to, 0),
          origin(0x344, fromX, fromY),
          origin(0x34c, toX, toY),
          size(0, line, lines),
          launch(0));
      assertThat(channel.reason()).isZero();
      for (int y = 0; y < lines; y++) {
        for (int x = 0; x < line; x++) {
          assertThat(targetByte(at(out, toX + x, toY + y, 0)))
              .isEqualTo(sourceByte(at(in, fromX + x, fromY + y, 1)));
        }
      }
    }
  }

  @Test
  void inlineToTiles_acrossGobs_isAsLaidOut() {
    Image image = new Image(128, 16, 1, 1, 0);
    Map<Place, Integer> places = image.layOut();
    run(
        addresses(source.va(), target.va()),
        tiles(0x220, image, 0),
        origin(0x34c, 62, 7),
        size(0, 4, 2),
        launch(INLINE),
        new int[] {constant(SUBCHANNEL, 0x304, 2), 0x44332211, 0x88776655});
    for (int i = 0; i < 8; i++) {
      assertThat(targetByte(at(places, 62 + i % 4, 7 + i / 4, 0)))
          .isEqualTo((byte) (0x11 * (i + 1)));
    }
  }
}
