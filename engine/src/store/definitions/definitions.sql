-- Definitions: immutable versions.

-- name: insertDefinition
insert into millrace.definitions (id, version, name, description, document, digest, uploaded_at, uploaded_by)
values (@id, @version, @name, @description, @document, @digest, @uploadedAt, @uploadedBy)

-- name: lockDefinitionId
select pg_advisory_xact_lock(hashtextextended(@id, 20261115))

-- name: findLatest
select id, version, name, description, document, digest, uploaded_at, (select millrace.clock()) as now
from millrace.definitions where id = @id
order by version desc
limit 1

-- name: findByDigest
select id, version, name, description, document, digest, uploaded_at
from millrace.definitions where id = @id and digest = @digest
order by version desc
limit 1

-- name: findVersion
select id, version, name, description, document, digest, uploaded_at
from millrace.definitions where id = @id and version = @version

-- name: listDefinitions
select d.id, d.version, d.name, d.description, d.uploaded_at, count(*) over () as total
from (
  select distinct on (id) id, version, name, description, uploaded_at
  from millrace.definitions order by id, version desc
) d
where @pattern::text is null or d.id ilike @pattern or d.name ilike @pattern
order by d.id
limit @limit offset @offset

-- name: listVersions, planned by index
select version, name, description, uploaded_at, uploaded_by from millrace.definitions where id = @id
order by version desc
limit @limit

-- name: countDefinitions
select count(*) as total
from (select distinct on (id) id, name from millrace.definitions order by id, version desc) d
where @pattern::text is null or d.id ilike @pattern or d.name ilike @pattern

-- name: expectLatest
select millrace.expect_latest(@ids::text[], @versions::integer[])

-- name: isLatest
select not exists (select from millrace.definitions where id = @id and version > @version) as latest

-- name: listServiceTypes, planned anew
-- The job types of definitions that new instances use, and of versions that live instances use. Step lists make theirs.
select distinct s ->> 'jobType' as job_type
from millrace.definitions d cross join lateral json_array_elements(d.document::json -> 'steps') s
where s ->> 'type' = 'SERVICE_TASK' and coalesce(d.document::json ->> 'execution', 'graph') <> 'steplist' and (
  not exists (select from millrace.definitions n where n.id = d.id and n.version > d.version)
  or exists (select from millrace.instances i where i.definition_id = d.id and i.definition_version = d.version))
order by job_type
