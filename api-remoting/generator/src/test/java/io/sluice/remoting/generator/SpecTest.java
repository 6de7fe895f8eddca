package io.sluice.remoting.generator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.remoting.generator.LibraryFunction.Size;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The two languages of a specification. */
class SpecTest {
  private static CallSpec calls(String... lines) {
    return CallSpec.parse("test", List.of(lines));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "call me",
        "0 zero()",
        "65536 big()",
        "1 f(nothing x)",
        "1 f(int)",
        "1 f(new thing)",
        "1 f(int x) and more",
        "kind thing 0",
        "kind thing 70000"
      })
  void parse_lineThatIsWrong_isRefusedByName(String line) {
    assertThatThrownBy(() -> calls("api a 1", line))
        .isInstanceOf(SpecException.class)
        .hasMessageContaining("test");
  }

  @Test
  void parse_sameNumberTwice_isRefused() {
    assertThatThrownBy(() -> calls("api a 1", "1 f()", "1 g()")).isInstanceOf(SpecException.class);
  }

  @Test
  void parse_sameNameTwice_isRefused() {
    assertThatThrownBy(() -> calls("api a 1", "1 f()", "2 f()")).isInstanceOf(SpecException.class);
  }

  @Test
  void parse_everyType_isRead() {
    CallSpec spec =
        calls(
            "api a 3",
            "kind thing 5",
            "7 make(new thing t, thing? o, thing[] l, thing x, int i, long j, long[] k, range r,"
                + " range? s, string u, bytes b) # why");
    Call call = spec.calls().getFirst();

    assertThat(spec.number()).isEqualTo(3);
    assertThat(call.comment()).isEqualTo("why");
    assertThat(call.parameters().stream().map(Parameter::type))
        .containsExactly(
            ParameterType.NEW,
            ParameterType.OPTIONAL_OBJECT,
            ParameterType.OBJECTS,
            ParameterType.OBJECT,
            ParameterType.INT,
            ParameterType.LONG,
            ParameterType.LONGS,
            ParameterType.RANGE,
            ParameterType.OPTIONAL_RANGE,
            ParameterType.STRING,
            ParameterType.BYTES);
  }

  @Test
  void parse_functions_readsSizesAndWhatMayBeMissing() {
    FunctionSpec spec =
        FunctionSpec.parse(
            "test", List.of("library X # of tests", "handle make?(int a, ptr b)", "int end()"));

    assertThat(spec.library()).isEqualTo("X");
    assertThat(spec.functions().getFirst().optional()).isTrue();
    assertThat(spec.functions().getFirst().result()).isEqualTo(Size.HANDLE);
    assertThat(spec.functions().getLast().arguments()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"float f()", "int f(double x)", "int f(int)", "f()"})
  void parse_functionThatIsWrong_isRefused(String line) {
    assertThatThrownBy(() -> FunctionSpec.parse("test", List.of("library X", line)))
        .isInstanceOf(SpecException.class);
  }

  @Test
  void header_ofACall_countsWhatItWrites() {
    String header =
        CallsHeader.of(calls("api a 1", "kind thing 5", "7 makeOne(new thing t, string name)"));

    assertThat(header)
        .contains("#define CALL_MAKE_ONE 7")
        .contains("#define KIND_THING 1")
        .contains("MESSAGE_HEADER_BYTES + 8 + message_string_bytes(c->name)")
        .contains("message_string(&m, c->name);");
  }
}
