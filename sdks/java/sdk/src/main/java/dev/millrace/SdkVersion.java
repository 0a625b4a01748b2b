// The version of this SDK, which is the engine's.
package dev.millrace;

import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;

/** What the SDK calls itself towards the engine. */
public final class SdkVersion {
  private static final String VERSION = read();

  private SdkVersion() {}

  /** Such as {@code 0.1.0}. */
  public static String get() {
    return VERSION;
  }

  /** The User-Agent of every call. */
  public static String userAgent() {
    return "millrace-java/" + VERSION;
  }

  private static String read() {
    try (InputStream in = SdkVersion.class.getResourceAsStream("version.properties")) {
      Properties properties = new Properties();
      properties.load(in);
      return properties.getProperty("version");
    } catch (IOException failed) {
      throw new java.io.UncheckedIOException(failed);
    }
  }
}
