// What a handler knows besides its job.
package dev.millrace.worker;

/**
 * What a handler knows besides its job.
 *
 * @param cancellation fires when the lease is lost or about to be: stop, another worker may get the
 *     job. The handler's thread is interrupted as well
 */
public record HandlerContext(String workerId, CancellationToken cancellation) {}
