// How long is waited before the n-th try.
package dev.millrace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BackoffTest {
  @ParameterizedTest
  @DisplayName("C-111: 100 ms doubled with each attempt, at most 30 s; below 1 counts as 1")
  @CsvSource({
    "1,100",
    "2,200",
    "5,1600",
    "9,25600",
    "10,30000",
    "2000000000,30000",
    "0,100",
    "-7,100"
  })
  void grows(int attempt, long ms) {
    assertEquals(Duration.ofMillis(ms), Backoff.before(attempt, () -> 0.5));
  }

  @Test
  @DisplayName("C-111: give or take a fifth, and never above 30 s")
  void jitter() {
    assertEquals(Duration.ofMillis(80), Backoff.before(1, () -> 0));
    assertTrue(Backoff.before(1, () -> 0.999).compareTo(Duration.ofMillis(119)) > 0);
    assertEquals(Duration.ofSeconds(30), Backoff.before(20, () -> 0.999));
    assertEquals(Duration.ofSeconds(24), Backoff.before(20, () -> 0));
  }
}
