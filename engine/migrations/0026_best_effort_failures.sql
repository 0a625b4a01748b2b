-- A wait that was not answered in time and went to another step has that step as its value: that is no failure of best effort.
create or replace view millrace_views.best_effort_failure as
select s.instance_id, s.name as step, s.error, s.ended_at as failed_at
from millrace.run_steps s
where s.status = 'FAILED' and s.value is null;
