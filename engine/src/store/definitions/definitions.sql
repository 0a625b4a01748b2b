-- Definitions: immutable versions.

-- name: insertDefinition
insert into millrace.definitions (id, version, name, description, document, digest, uploaded_at, uploaded_by)
values ($1, $2, $3, $4, $5, $6, $7, $8)

-- name: lockDefinitionId
select pg_advisory_xact_lock(hashtextextended($1, 20261115))

-- name: findLatest
select id, version, name, description, document, digest, uploaded_at, (select millrace.clock()) as now
from millrace.definitions where id = $1
order by version desc
limit 1

-- name: findByDigest
select id, version, name, description, document, digest, uploaded_at from millrace.definitions where id = $1 and digest = $2
order by version desc
limit 1

-- name: findVersion
select id, version, name, description, document, digest, uploaded_at from millrace.definitions where id = $1 and version = $2

-- name: listDefinitions
select d.id, d.version, d.name, d.description, d.uploaded_at, count(*) over () as total
from (select distinct on (id) id, version, name, description, uploaded_at from millrace.definitions order by id, version desc) d
where $1::text is null or d.id ilike $1 or d.name ilike $1
order by d.id
limit $2 offset $3

-- name: listVersions, planned by index
select version, name, description, uploaded_at, uploaded_by from millrace.definitions where id = $1
order by version desc
limit $2

-- name: countDefinitions
select count(*) as total
from (select distinct on (id) id, name from millrace.definitions order by id, version desc) d
where $1::text is null or d.id ilike $1 or d.name ilike $1

-- name: expectLatest
select millrace.expect_latest($1::text[], $2::integer[])

-- name: isLatest
select not exists (select from millrace.definitions where id = $1 and version > $2) as latest
