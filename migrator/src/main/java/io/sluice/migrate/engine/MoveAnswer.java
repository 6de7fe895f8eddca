package io.sluice.migrate.engine;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import io.sluice.abi.FieldReader;
import io.sluice.abi.FieldWriter;
import io.sluice.channel.record.RecordCodec;
import io.sluice.channel.record.RecordCodec.Layout;
import io.sluice.migrate.link.Frame;
import io.sluice.migrate.link.FrameType;
import io.sluice.migrate.link.MigrationCode;
import java.util.List;

/**
 * A destination's answer to a {@link MoveQuestion}: all that is against it, as far as it can be
 * seen now.
 *
 * <pre>
 *  CHECKED  u32 count { u32 bytes, code   u32 bytes, what   u32 bytes, remedy }…
 * </pre>
 */
record MoveAnswer(ImmutableList<Reason> objections) {
  private static final int MAX_OBJECTIONS = 32;

  /**
   * @param hosts what is against it where the guest would come to
   */
  static MoveAnswer to(MoveQuestion question, List<Reason> hosts) {
    ImmutableList.Builder<Reason> objections = ImmutableList.builder();
    Offer offer = question.offer();
    if (Offer.SPOKEN.agreed(offer.spoken()).isEmpty()) {
      objections.add(Offer.noCommonVersion(offer));
    }
    ImmutableSet<Layout> unknown =
        Sets.difference(question.layouts(), RecordCodec.readable()).immutableCopy();
    if (!unknown.isEmpty()) {
      objections.add(
          new Reason(
              MigrationCode.OLD_READER,
              "records of the guest are of versions that the destination cannot read, " + unknown,
              "Bring the destination's daemon to the source's version."));
    }
    objections.addAll(hosts.subList(0, Math.min(hosts.size(), MAX_OBJECTIONS - 2)));
    return new MoveAnswer(objections.build());
  }

  Frame encode() {
    FieldWriter out = new FieldWriter().bits(objections.size());
    objections.forEach(reason -> reason.write(out));
    return Payload.frame(FrameType.CHECKED, out);
  }

  static MoveAnswer decode(Frame frame) {
    FieldReader in = Payload.reader(frame);
    ImmutableList.Builder<Reason> objections = ImmutableList.builder();
    for (int left = in.count(MAX_OBJECTIONS, 3 * Integer.BYTES); left > 0; left--) {
      objections.add(Reason.read(in));
    }
    in.end();
    return new MoveAnswer(objections.build());
  }
}
