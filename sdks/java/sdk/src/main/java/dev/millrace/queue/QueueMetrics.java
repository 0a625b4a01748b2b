// How the queue stands.
package dev.millrace.queue;

import java.util.Map;

/**
 * Depths, watermarks, and whether jobs are accepted.
 *
 * @param depths by priority
 * @param gates by priority, and {@code total}: depth, watermarks and whether it is shut
 */
public record QueueMetrics(
    Map<String, Object> depths,
    long total,
    long highWatermark,
    long lowWatermark,
    boolean acceptingJobs,
    boolean backpressureActive,
    long dlqDepth,
    boolean dlqDepthIsExact,
    Map<String, Object> gates) {}
