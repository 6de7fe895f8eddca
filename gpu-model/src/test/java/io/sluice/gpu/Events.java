package io.sluice.gpu;

import io.sluice.abi.pscnv.ExtEvent;
import io.sluice.abi.pscnv.ExtEventRead;
import io.sluice.abi.pscnv.PscnvIoctl;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** Reads the events of an open as text. */
final class Events {
  private Events() {}

  static List<String> read(Client client) {
    return read(client, ExtEventRead.MAX_RECORDS);
  }

  static List<String> read(Client client, int most) {
    MemorySegment argument = Client.block(PscnvIoctl.EVENT_READ);
    ExtEventRead.COUNT.setBits(argument, most);
    client.call(PscnvIoctl.EVENT_READ, argument);
    List<String> events = new ArrayList<>();
    for (int i = 0; i < ExtEventRead.COUNT.bits(argument); i++) {
      long offset = ExtEventRead.RECORDS.offsetOf(i);
      int cid = ExtEvent.CID.bits(argument, offset);
      events.add(
          switch (ExtEvent.KIND.bits(argument, offset)) {
            case ExtEvent.KIND_INTERRUPT -> "interrupt " + cid;
            case ExtEvent.KIND_EXCESS ->
                "excess of bytes " + ExtEvent.ADDRESS.get(argument, offset);
            default -> "error " + cid + " " + ExtEvent.CODE.bits(argument, offset);
          });
    }
    return events;
  }
}
