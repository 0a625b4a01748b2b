// The content of a request was refused.
package dev.millrace.error;

/**
 * The request itself is wrong; {@link #details()} says where. Unchanged it gives the same answer.
 */
public final class InvalidRequestException extends EngineException {
  InvalidRequestException(Refusal refusal) {
    super(refusal);
  }
}
