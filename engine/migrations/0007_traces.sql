-- Traces: the W3C trace context of whoever asked for the work, carried to the worker that does it. Null where nobody traces.

-- `traceparent`, always 55 characters, and after a space `tracestate` where there is one. The job of a step has its instance's.
alter table millrace.instances add column trace_context text;
alter table millrace.finished_instances add column trace_context text;
alter table millrace.jobs add column trace_context text;
