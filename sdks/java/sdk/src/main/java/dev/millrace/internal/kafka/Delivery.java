// One message that is here and not yet handled.
package dev.millrace.internal.kafka;

/** Compared by identity: one message may be here twice. */
final class Delivery {
  final Tenure tenure;
  final long offset;
  final Object key;
  final Dispatch dispatch;
  int tries;

  /** Tells the handler to stop; null while none runs. */
  Runnable stop;

  Delivery(Tenure tenure, long offset, Object key, Dispatch dispatch) {
    this.tenure = tenure;
    this.offset = offset;
    this.key = key;
    this.dispatch = dispatch;
  }
}
