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
