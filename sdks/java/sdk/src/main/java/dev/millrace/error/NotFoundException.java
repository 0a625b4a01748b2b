// What a call names does not exist.
package dev.millrace.error;

/** There is no such thing: check the id. */
public final class NotFoundException extends EngineException {
  NotFoundException(Refusal refusal) {
    super(refusal);
  }
}
