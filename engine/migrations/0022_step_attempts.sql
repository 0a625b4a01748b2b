-- An attempt at a run says at which of its steps it ended, so that each step knows its own attempts. Null where that is not known, and for
-- jobs that are no runs.
alter table millrace.attempts add column step text;
