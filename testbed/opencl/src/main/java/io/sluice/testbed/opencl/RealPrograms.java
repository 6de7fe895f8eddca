package io.sluice.testbed.opencl;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The programs that people run, unchanged: Debian's, and clients of its libraries. */
public final class RealPrograms {
  private static final Pattern NUMBER = Pattern.compile("\\d+(\\.\\d+)?");
  private static final Predicate<String> EACH = _ -> true;
  private static final UnaryOperator<String> WHOLE = UnaryOperator.identity();

  private static final String[] PEAKS = {
    "--kernel-latency", "--transfer-bandwidth", "--compute-integer"
  };
  private static final String[] FEW_PEAKS = {"--kernel-latency", "--compute-integer"};
  private static final Path PYTHON = Path.of("/usr/bin/python3");
  private static final String COMPILER = "/usr/bin/g++";
  private static final String VIDEO = "testsrc2=s=640x360:d=2:r=25";
  private static final String FILTERS =
      "format=yuv420p,hwupload,unsharp_opencl=lx=5:ly=5:la=1.2,avgblur_opencl=3,"
          + "hwdownload,format=yuv420p";

  private RealPrograms() {}

  /**
   * All of them.
   *
   * @param built the directory of the clients
   */
  public static List<RealProgram> all(Path built) {
    return Stream.concat(with(clpeak(PEAKS), built), Stream.of(hashcat(), ffmpeg())).toList();
  }

  /**
   * Those that are small and run for seconds.
   *
   * @param built the directory of the clients
   */
  public static List<RealProgram> small(Path built) {
    return with(clpeak(FEW_PEAKS), built).toList();
  }

  private static Stream<RealProgram> with(RealProgram clpeak, Path built) {
    return Stream.of(List.of(clinfo(), clpeak), alike(built), List.of(pyOpenCl()))
        .flatMap(List::stream);
  }

  /**
   * Those that need few libraries and little memory, and can be brought into a machine, and are
   * quick there.
   *
   * @param built the directory of the clients
   */
  public static List<RealProgram> forMachines(Path built) {
    return List.of(tuner(), client(built, "sgemm", "libclblast-dev", "/usr/include/clblast_c.h"));
  }

  /**
   * Those that can be brought into a machine too, and take longer.
   *
   * @param built the directory of the clients
   */
  public static List<RealProgram> largeForMachines(Path built) {
    return Stream.concat(Stream.of(clpeak(FEW_PEAKS)), templates(built).stream()).toList();
  }

  /**
   * A program for a machine that has this host's files by a share.
   *
   * @param trees directories that it reads, beside the libraries that it is linked to
   */
  public record OfShare(RealProgram program, List<Path> trees) {}

  /** Those that need many files, and run in a machine that has them by a share. */
  public static List<OfShare> ofShares() {
    return List.of(
        new OfShare(
            pyOpenCl(),
            List.of(Path.of("/usr/lib/python3"), pythonLibrary(), Tree.module("clients"))),
        new OfShare(ffmpeg(), List.of()),
        new OfShare(
            hashcat(), List.of(Path.of("/usr/lib/hashcat"), Path.of("/usr/share/hashcat"))));
  }

  /** Of Debian's Python, whose version is in its name. */
  private static Path pythonLibrary() {
    try {
      return Path.of("/usr/lib").resolve(PYTHON.toRealPath().getFileName());
    } catch (IOException _) {
      return Path.of("/usr/lib/python3"); // there is none, and its program is not ready
    }
  }

  /** Those that are the same everywhere. */
  private static List<RealProgram> alike(Path built) {
    return Stream.concat(forMachines(built).stream(), templates(built).stream()).toList();
  }

  /** Clients of libraries of C++. */
  private static List<RealProgram> templates(Path built) {
    return List.of(
        client(
            built,
            "conjugate_gradient",
            "libviennacl-dev g++",
            "/usr/include/viennacl/vector.hpp",
            COMPILER),
        client(built, "sorting", "libboost-dev g++", "/usr/include/boost/compute.hpp", COMPILER));
  }

  /** Those that are large, or take long. */
  public static List<RealProgram> large() {
    return List.of(clpeak(PEAKS), hashcat(), ffmpeg());
  }

  /** Every line but names, which are the platform's, and what is said not to be there. */
  private static RealProgram clinfo() {
    return new RealProgram(
        "clinfo",
        "clinfo",
        List.of(Path.of("/usr/bin/clinfo")),
        List.of("clinfo"),
        "",
        ClinfoLines::isCompared,
        WHOLE);
  }

  /** Its figures are times: but for the platform's name, it says the same around them. */
  private static RealProgram clpeak(String... peaks) {
    return new RealProgram(
        "clpeak",
        "clpeak",
        List.of(Path.of("/usr/bin/clpeak")),
        Stream.concat(Stream.of("clpeak"), Stream.of(peaks)).toList(),
        "",
        EACH,
        line -> NUMBER.matcher(line.replace("Platform: Sluice: ", "Platform: ")).replaceAll("N"));
  }

  private static RealProgram hashcat() {
    String script =
        """
        export HOME=$PWD XDG_CACHE_HOME=$PWD XDG_DATA_HOME=$PWD
        printf '%s\\n' 5f4dcc3b5aa765d61d8327deb882cf99 e99a18c428cb38d5f260853678922e03 > hashes
        i=0; while [ $i -lt 20000 ]; do echo word$i; i=$((i + 1)); done > words
        printf '%s\\n' password abc123 >> words
        hashcat --force -m 0 -a 0 --potfile-disable --quiet -o found hashes words; sort found
        """;
    return new RealProgram(
        "hashcat",
        "hashcat",
        List.of(Path.of("/usr/bin/hashcat")),
        List.of("sh", "-c", script),
        "",
        line -> line.contains(":"),
        WHOLE);
  }

  private static RealProgram ffmpeg() {
    return new RealProgram(
        "ffmpeg",
        "ffmpeg",
        List.of(Path.of("/usr/bin/ffmpeg")),
        List.of(
            "ffmpeg",
            "-nostdin",
            "-y",
            "-loglevel",
            "error",
            "-init_hw_device",
            "opencl=g:0.0",
            "-filter_hw_device",
            "g",
            "-f",
            "lavfi",
            "-i",
            VIDEO,
            "-vf",
            FILTERS,
            "-f",
            "framemd5",
            "frames"),
        "frames",
        EACH,
        WHOLE);
  }

  /** The tuner checks each of its kernels; which is the fastest is not compared. */
  private static RealProgram tuner() {
    return new RealProgram(
        "clblast_tuner_xdot",
        "clblast-utils",
        List.of(Path.of("/usr/bin/clblast_tuner_xdot")),
        List.of("clblast_tuner_xdot", "-n", "262144", "-runs", "2"),
        "",
        line -> line.contains("results match") || line.contains("FAILED"),
        line -> line.replaceAll("\\d+\\.\\d+|\\d+ ms", "N").replaceAll(" +", " "));
  }

  private static RealProgram client(Path built, String name, String packages, String... needs) {
    return new RealProgram(
        name,
        packages,
        Stream.of(needs).map(Path::of).toList(),
        List.of(built.resolve(name).toString()),
        "",
        EACH,
        WHOLE);
  }

  private static RealProgram pyOpenCl() {
    return new RealProgram(
        "pyopencl",
        "python3-pyopencl",
        List.of(Path.of("/usr/lib/python3/dist-packages/pyopencl/__init__.py")),
        List.of(PYTHON.toString(), Tree.module("clients/arrays.py").toString()),
        "",
        EACH,
        WHOLE);
  }
}
