// The state of an object does not allow a call.
package dev.millrace.error;

/** The state of the object does not allow this call. */
public class ConflictException extends EngineException {
  ConflictException(Refusal refusal) {
    super(refusal);
  }
}
