package io.sluice.gpu.fifo;

import io.sluice.gpu.engine.Outcome;

/** The receiver of decoded pushbuffer words. */
interface PushbufferSink {
  /**
   * A method.
   *
   * @param subchannel 0 to 7
   * @param method byte address, 0 to 0x3ffc
   * @param data its word
   */
  Outcome method(int subchannel, int method, int data);

  /** The rest of the segment is to be skipped. */
  Outcome endSegment();

  /** A word that is no command. */
  Outcome illegalWord(int word);
}
