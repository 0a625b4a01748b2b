# Short words for deploy/compose.yaml. Docker with Compose 2.20 or newer; without Docker, `npm start` runs the engine alone.
COMPOSE = docker compose --file deploy/compose.yaml
KEY_NAME ?= me

.DEFAULT_GOAL := help
.PHONY: help dev key down logs shell check-infra infra-check load-test migrate test ci

help:
	@echo 'make dev          build and start everything, and wait until it is healthy'
	@echo 'make key          a key for the API and the dashboard; KEY_NAME=somebody'
	@echo 'make logs         what all of it logs, Ctrl-C ends'
	@echo 'make shell        psql in the database'
	@echo 'make check-infra  ask each part whether it is well'
	@echo 'make load-test    fifty users for a minute'
	@echo 'make migrate      bring the schema up to date'
	@echo 'make down         stop everything; what it stored stays'
	@echo 'make test, ci     npm test, npm run ci'

dev: deploy/.env
	$(COMPOSE) up --build --detach --wait
	@$(COMPOSE) exec -T engine sh -c 'millrace keys list | grep -q "  operator  " || millrace keys create operator'
	@echo 'Millrace    http://'$$($(COMPOSE) port engine 8080)/ui/'   asks for a key: the first one is shown once, make key makes others'
	@echo 'Grafana     http://'$$($(COMPOSE) port grafana 3000)
	@echo 'Prometheus  http://'$$($(COMPOSE) port prometheus 9090)

# Passwords for this machine alone. They are made once: PostgreSQL keeps the first one it is given.
deploy/.env:
	@umask 077; for name in MILLRACE_DB_PASSWORD MILLRACE_GRAFANA_PASSWORD; do \
	  echo "$$name=$$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')"; done > $@
	@echo '$@ is made, with passwords for this machine.'

key:
	@$(COMPOSE) exec -T engine millrace keys create $(KEY_NAME)

down:
	$(COMPOSE) --profile load --profile guard --profile outbox down

logs:
	$(COMPOSE) logs --follow --tail 100

shell:
	$(COMPOSE) exec postgres psql --username millrace millrace

check-infra infra-check:
	$(COMPOSE) ps
	$(COMPOSE) exec -T postgres pg_isready --host 127.0.0.1 --username millrace
	$(COMPOSE) exec -T engine millrace doctor
	$(COMPOSE) exec -T prometheus promtool query instant http://127.0.0.1:9090 'up{job="millrace"}'
	$(COMPOSE) exec -T grafana wget -q -O - http://127.0.0.1:3000/api/health

load-test:
	$(COMPOSE) run --rm --build load

migrate:
	$(COMPOSE) run --rm --build engine migrate

test ci:
	npm run $@
