-- Which instance has taken the place of which by a restart: found from either of them. Only a restart writes here.
create table millrace.restarts (
  instance_id text collate "C" primary key,
  restart_of text collate "C" not null
);
create index restarts_of on millrace.restarts (restart_of, instance_id);
