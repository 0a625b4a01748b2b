// The conformance program of the Java SDK: does what the lines on its standard input tell it.
package dev.millrace.conformance;

import dev.millrace.internal.Json;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Speaks conformance/control-protocol.md. */
public final class Main {
  private static final int NOT_JSON = 2;

  private final Program program = new Program();
  private final ExecutorService commands = Executors.newCachedThreadPool();
  private final PrintStream out;

  private Main(PrintStream out) {
    this.out = out;
  }

  public static void main(String[] arguments) throws IOException {
    Main main = new Main(new PrintStream(System.out, false, StandardCharsets.UTF_8));
    System.setOut(System.err);
    Runtime.getRuntime().addShutdownHook(new Thread(main::end));
    main.readAll(new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8)));
    System.exit(0);
  }

  private void readAll(BufferedReader in) throws IOException {
    for (String line = in.readLine(); line != null; line = in.readLine()) read(line);
  }

  @SuppressWarnings("unchecked")
  private void read(String line) {
    if (line.isBlank()) return;
    try {
      Map<String, Object> command = (Map<String, Object>) Json.read(line);
      commands.execute(() -> write(answer(command)));
    } catch (IllegalArgumentException | ClassCastException notACommand) {
      System.err.println("not a command: " + line);
      Runtime.getRuntime().halt(NOT_JSON);
    }
  }

  private Map<String, Object> answer(Map<String, Object> command) {
    Map<String, Object> answer = new LinkedHashMap<>();
    answer.put("id", command.get("id"));
    try {
      answer.put("ok", program.run((String) command.get("do"), new Arguments(command.get("with"))));
    } catch (Throwable failure) {
      answer.put("error", Errors.describe(failure));
    }
    return answer;
  }

  private synchronized void write(Map<String, Object> answer) {
    out.println(Json.write(answer));
    out.flush();
  }

  /** At the end of standard input and on SIGTERM. */
  private void end() {
    boolean drained = program.end();
    out.flush();
    Runtime.getRuntime().halt(drained ? 0 : 1);
  }
}
