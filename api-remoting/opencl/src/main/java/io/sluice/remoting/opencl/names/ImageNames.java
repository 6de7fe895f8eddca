package io.sluice.remoting.opencl.names;

import java.util.List;

/** The names of images' kinds and formats; CL/cl.h. */
public final class ImageNames {
  private static final int FIRST_KIND = 0x10f1;

  /** In the order of their numbers. */
  private static final List<ImageKind> KINDS =
      List.of(
          new ImageKind("a 2D image", List.of(1, 2)),
          new ImageKind("a 3D image", List.of(1, 2, 3)),
          new ImageKind("an array of 2D images", List.of(1, 2, 4)),
          new ImageKind("a 1D image", List.of(1)),
          new ImageKind("an array of 1D images", List.of(1, 4)),
          new ImageKind("a 1D image of a buffer", List.of(1)));

  private static final ImageKind UNKNOWN = new ImageKind("an image", List.of(1, 2, 3, 4));

  private static final int FIRST_ORDER = 0x10b0;
  private static final List<String> ORDERS =
      List.of(
          "R",
          "A",
          "RG",
          "RA",
          "RGB",
          "RGBA",
          "BGRA",
          "ARGB",
          "INTENSITY",
          "LUMINANCE",
          "Rx",
          "RGx",
          "RGBx",
          "DEPTH",
          "DEPTH_STENCIL",
          "sRGB",
          "sRGBx",
          "sRGBA",
          "sBGRA",
          "ABGR");

  private static final int FIRST_TYPE = 0x10d0;
  private static final List<String> TYPES =
      List.of(
          "SNORM_INT8",
          "SNORM_INT16",
          "UNORM_INT8",
          "UNORM_INT16",
          "UNORM_SHORT_565",
          "UNORM_SHORT_555",
          "UNORM_INT_101010",
          "SIGNED_INT8",
          "SIGNED_INT16",
          "SIGNED_INT32",
          "UNSIGNED_INT8",
          "UNSIGNED_INT16",
          "UNSIGNED_INT32",
          "HALF_FLOAT",
          "FLOAT",
          "UNORM_INT24",
          "UNORM_INT_101010_2");

  /**
   * A kind of images.
   *
   * @param sizes where its sizes stand in a shape
   */
  private record ImageKind(String words, List<Integer> sizes) {}

  private ImageNames() {}

  /** The name of a channel order. */
  public static String order(int order) {
    return name(ORDERS, order - FIRST_ORDER, order);
  }

  /** The name of a channel type. */
  public static String type(int type) {
    return name(TYPES, type - FIRST_TYPE, type);
  }

  private static String name(List<String> names, int at, int number) {
    return at >= 0 && at < names.size()
        ? "CL_" + names.get(at)
        : "0x" + Integer.toHexString(number);
  }

  /**
   * An image, such as "a 2D image of 640 x 480, CL_RGBA, CL_UNORM_INT8".
   *
   * @param shape kind, width, height, depth, array size, and what follows
   */
  public static String image(int order, int type, long[] shape) {
    long at = shape[0] - FIRST_KIND;
    ImageKind kind = at >= 0 && at < KINDS.size() ? KINDS.get((int) at) : UNKNOWN;
    String sizes =
        String.join(" x ", kind.sizes().stream().map(size -> Long.toString(shape[size])).toList());
    return "%s of %s, %s, %s".formatted(kind.words(), sizes, order(order), type(type));
  }
}
