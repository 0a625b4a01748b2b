// Brings finished jobs back to the engine.
package dev.millrace.worker;

/** Every report that is added is settled once: accepted, or not, or dropped. */
interface Reporter {
  void add(Report report);

  /** Reports that no request carries yet, and that will ask for more jobs. */
  int waiting();

  /** Nothing is waiting or on its way. */
  boolean isIdle();

  /** Nothing more is to be delivered. */
  void close();
}
