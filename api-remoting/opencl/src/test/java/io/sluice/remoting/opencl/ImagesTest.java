package io.sluice.remoting.opencl;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The bytes of images in memory, for pitches of an application's choice. */
final class ImagesTest {
  private static final int RGBA = 0x10b5; // CL/cl.h, as the next
  private static final int UNORM_INT8 = 0x10d2;
  private static final int PIXEL = 4;

  private static long boxBytes(int kind, long[] region, long row, long slice) {
    long[] box = {0, 0, 0, region[0], region[1], region[2], row, slice};
    return Images.boxBytes(new Memory.ImageShape(kind, PIXEL, new long[7]), box);
  }

  private static long initialBytes(long... shape) {
    return Images.initialBytes(RGBA, UNORM_INT8, shape);
  }

  /** Eight layers of 16 pixels. */
  @ParameterizedTest
  @CsvSource({
    "0, 0, 512",
    "64, 64, 512",
    "65536, 0, 458816",
    "65536, 64, 458816", // PoCL steps by the row pitch
    "64, 65536, 458816", // and others by the slice pitch
    "0, 65536, 458816",
    "9223372036854775807, 64, 9223372036854775807",
    "64, 9223372036854775807, 9223372036854775807",
    "-1, 64, 9223372036854775807",
    "64, -1, 9223372036854775807"
  })
  void boxBytes_ofLines_hasTheLongerOfBothPitches(long row, long slice, long bytes) {
    assertThat(boxBytes(ClParam.MEM_OBJECT_IMAGE1D_ARRAY, new long[] {16, 8, 1}, row, slice))
        .isEqualTo(bytes);
  }

  @Test
  void boxBytes_ofSlices_hasBothPitches() {
    assertThat(boxBytes(ClParam.MEM_OBJECT_IMAGE3D, new long[] {16, 8, 2}, 100, 4096))
        .isEqualTo(4096 + 7 * 100 + 16 * PIXEL);
  }

  @Test
  void initialBytes_withPitches_hasThemWhole() {
    assertThat(initialBytes(ClParam.MEM_OBJECT_IMAGE1D_ARRAY, 16, 0, 0, 1, 65536, 0))
        .isEqualTo(65536);
    assertThat(initialBytes(ClParam.MEM_OBJECT_IMAGE1D_ARRAY, 16, 0, 0, 8, 100, 200))
        .isEqualTo(8 * 200);
    assertThat(initialBytes(ClParam.MEM_OBJECT_IMAGE2D, 16, 8, 0, 0, 100, 0)).isEqualTo(8 * 100);
    assertThat(initialBytes(ClParam.MEM_OBJECT_IMAGE3D, 16, 8, 2, 0, 100, 1000)).isEqualTo(2000);
  }

  @Test
  void initialBytes_withoutPitches_isThatOfThePixels() {
    assertThat(initialBytes(ClParam.MEM_OBJECT_IMAGE1D_ARRAY, 16, 0, 0, 8, 0, 0)).isEqualTo(512);
    assertThat(initialBytes(ClParam.MEM_OBJECT_IMAGE3D, 16, 8, 2, 0, 0, 0)).isEqualTo(1024);
  }

  @Test
  void initialBytes_pitchesThatNoImageHas_areBeyondAnyMemory() {
    long[][] shapes = {
      {ClParam.MEM_OBJECT_IMAGE2D, 16, 8, 0, 0, 60, 0},
      {ClParam.MEM_OBJECT_IMAGE2D, 16, 8, 0, 0, -64, 0},
      {ClParam.MEM_OBJECT_IMAGE2D, 16, 8, 0, 0, 1L << 61, 0},
      {ClParam.MEM_OBJECT_IMAGE1D_ARRAY, 16, 0, 0, 8, 65536, 64},
      {ClParam.MEM_OBJECT_IMAGE1D_ARRAY, 16, 0, 0, 8, 64, -64},
      {ClParam.MEM_OBJECT_IMAGE3D, 16, 8, 2, 0, 64, 64},
      {ClParam.MEM_OBJECT_IMAGE3D, 16, 8, 2, 0, 64, 1L << 62},
    };
    for (long[] shape : shapes) {
      assertThat(initialBytes(shape)).isEqualTo(Long.MAX_VALUE);
    }
  }
}
