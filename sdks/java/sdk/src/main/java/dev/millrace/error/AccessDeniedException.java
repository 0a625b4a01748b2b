// The caller may not do this.
package dev.millrace.error;

/** No key, a wrong key, one without the scope, or a host that is not allowed. */
public final class AccessDeniedException extends EngineException {
  AccessDeniedException(Refusal refusal) {
    super(refusal);
  }
}
