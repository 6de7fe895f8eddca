package io.sluice.gpu.fifo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.gpu.engine.Outcome;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class DecoderTest {
  private final List<String> seen = new ArrayList<>();
  private final Decoder decoder = new Decoder(new Recorder());

  private final class Recorder implements PushbufferSink {
    @Override
    public Outcome method(int subchannel, int method, int data) {
      seen.add("%d:%x=%x".formatted(subchannel, method, data));
      return Outcome.DONE;
    }

    @Override
    public Outcome endSegment() {
      seen.add("end");
      return Outcome.DONE;
    }

    @Override
    public Outcome illegalWord(int word) {
      seen.add("illegal %08x".formatted(word));
      return Outcome.FAULT;
    }
  }

  private List<String> decode(int... words) {
    for (int word : words) {
      assertThat(decoder.word(word)).isNotNull();
    }
    return seen;
  }

  @Test
  void word_increasing_walksMethods() {
    assertThat(decode(0x2003_4000 | 0x238 >> 2, 1, 2, 3))
        .containsExactly("2:238=1", "2:23c=2", "2:240=3");
  }

  @Test
  void word_constant_repeatsMethod() {
    assertThat(decode(0x6002_2000 | 0x21c >> 2, 4, 0x1111))
        .containsExactly("1:21c=4", "1:21c=1111");
  }

  @Test
  void word_immediate_carriesItsData() {
    assertThat(decode(0x9fff_e000 | 0x100 >> 2)).containsExactly("7:100=1fff");
  }

  @Test
  void word_onceIncreasing_stepsAfterTheFirst() {
    assertThat(decode(0xa003_2000 | 0x100 >> 2, 1, 2, 3))
        .containsExactly("1:100=1", "1:104=2", "1:104=3");
  }

  @Test
  void word_oldIncreasing_walksMethods() {
    assertThat(decode(2 << 18 | 3 << 13 | 0x300, 1, 2)).containsExactly("3:300=1", "3:304=2");
  }

  @Test
  void word_oldConstant_repeatsMethod() {
    assertThat(decode(0x4000_0000 | 2 << 18 | 3 << 13 | 0x300, 1, 2))
        .containsExactly("3:300=1", "3:300=2");
  }

  @Test
  void word_zero_isNoOperation() {
    assertThat(decode(0, 0, 0)).isEmpty();
    assertThat(decoder.isInsideCommand()).isFalse();
  }

  @Test
  void word_countZero_hasNoData() {
    assertThat(decode(0x2000_0040, 0x2001_0040, 5)).containsExactly("0:100=5");
  }

  @Test
  void word_endOfSegment_isReported() {
    assertThat(decode(0xe000_0000)).containsExactly("end");
  }

  @Test
  void word_secOp6_isIllegal() {
    assertThat(decode(0xc000_0000)).containsExactly("illegal c0000000");
  }

  @Test
  void word_secOp2WithTertiaryOp_isIllegal() {
    assertThat(decode(0x4001_0000, 0x4002_0000, 0x4003_0000))
        .hasSize(3)
        .allMatch(s -> s.startsWith("illegal"));
  }

  @Test
  void word_methodPastTheEnd_wraps() {
    assertThat(decode(0x2002_0000 | 0xfff, 1, 2)).containsExactly("0:3ffc=1", "0:0=2");
  }

  @Test
  void word_subdeviceMaskWithoutUs_skipsMethodsButKeepsCounting() {
    int[] command = {0x2001_0040, 7};
    assertThat(decode(0x0001_0000 | 2 << 4, command[0], command[1])).isEmpty();
    assertThat(decode(0x0001_0000 | 1 << 4, command[0], command[1])).containsExactly("0:100=7");
  }

  @Test
  void word_storedSubdeviceMask_isUsedWhenAsked() {
    decode(0x0002_0000 | 2 << 4, 0x2001_0040, 1);
    assertThat(seen).as("storing does not use it").containsExactly("0:100=1");
    decode(0x0003_0000, 0x2001_0040, 2);
    assertThat(seen).hasSize(1);
  }

  @Test
  void saveRestore_insideACommand_goesOn() {
    decode(0xa003_2000 | 0x100 >> 2, 1);
    ByteBuffer state = ByteBuffer.allocate(100);
    decoder.save(state);
    Decoder other = new Decoder(new Recorder());
    other.restore(state.flip());
    other.word(2);
    other.word(3);
    assertThat(seen).containsExactly("1:100=1", "1:104=2", "1:104=3");
    assertThat(other.isInsideCommand()).isFalse();
  }

  @Test
  void restore_impossibleState_isRefused() {
    for (int[] bad :
        new int[][] {
          {3, 0, 0, 0, 0, 0},
          {0, -1, 0, 0, 0, 0},
          {0, 0x2000, 0, 0, 0, 0},
          {0, 0, 2, 0, 0, 0},
          {0, 0, 0x4000, 0, 0, 0},
          {0, 0, 0, 8, 0, 0},
          {0, 0, 0, -1, 0, 0}
        }) {
      ByteBuffer state = ByteBuffer.allocate(24);
      for (int word : bad) {
        state.putInt(word);
      }
      assertThatThrownBy(() -> decoder.restore(state.flip()))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }
}
