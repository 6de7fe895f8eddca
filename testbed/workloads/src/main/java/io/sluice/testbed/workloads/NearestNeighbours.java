package io.sluice.testbed.workloads;

import java.util.List;

/** Rodinia's nn: the distance of each of many places from one. */
public final class NearestNeighbours implements Workload {
  /** Records of Rodinia's default data. */
  public static final int DEFAULT_RECORDS = 42764;

  private static final int BLOCK = 256;
  private static final float LATITUDE = 30;
  private static final float LONGITUDE = 90;

  /** The root is an approximation with one step of Newton's; CUDA allows 1 for the exact one. */
  private static final int ULPS = 1;

  private final int records;
  private final float[] places;

  /**
   * @param records number of places
   */
  public NearestNeighbours(int records) {
    this.records = records;
    this.places = new float[2 * records];
    float[] latitudes = Floats.random(records, 7, 70, 3);
    float[] longitudes = Floats.random(records, 0, 358, 4);
    for (int i = 0; i < records; i++) {
      places[2 * i] = latitudes[i];
      places[2 * i + 1] = longitudes[i];
    }
    // One of them is the place itself.
    places[0] = LATITUDE;
    places[1] = LONGITUDE;
  }

  @Override
  public String name() {
    return "nn " + records;
  }

  @Override
  public List<Buffer> buffers() {
    return List.of(
        new Buffer("locations", Floats.words(places)), new Buffer("distances", new int[records]));
  }

  @Override
  public List<Launch> launches() {
    return List.of(
        new Launch(
            Kernels.of("nn", "euclid"),
            (records + BLOCK - 1) / BLOCK,
            1,
            BLOCK,
            1,
            List.of(
                Argument.of("locations"),
                Argument.of("distances"),
                Argument.of(records),
                Argument.of(LATITUDE),
                Argument.of(LONGITUDE))));
  }

  @Override
  public List<Expected> expected() {
    float[] distances = new float[records];
    for (int i = 0; i < records; i++) {
      float latitude = LATITUDE - places[2 * i];
      float longitude = LONGITUDE - places[2 * i + 1];
      float square = Math.fma(latitude, latitude, longitude * longitude);
      distances[i] = (float) Math.sqrt(square);
    }
    return List.of(new Expected("distances", Floats.words(distances), ULPS));
  }
}
