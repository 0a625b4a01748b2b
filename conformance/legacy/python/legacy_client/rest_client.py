"""Raw REST, as a client without an SDK writes it."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from typing import Any
from urllib.parse import quote, urlencode

from legacy_client.refusal import Refused

Json = dict[str, Any]


class RestClient:
    def __init__(self, url: str) -> None:
        self._url = url.rstrip("/")

    def upload_definition(self, definition: Json) -> Json:
        return self._json("POST", "/v1/definitions", definition)

    def get_definition(self, id: str, version: int | None) -> Json:
        at = f"/v1/definitions/{quote(id, safe='')}"
        return self._json("GET", f"{at}/versions/{version}" if version else at)

    def list_definitions(self, query: Json) -> Json:
        return self._json("GET", "/v1/definitions", query={"pageSize": 100, **query})

    def start_instance(self, request: Json) -> Json:
        # Existing clients send what they were not given as empty.
        return self._json("POST", "/v1/instances", {"businessKey": "", "definitionVersion": 0, **request})

    def get_instance(self, id: str) -> Json:
        return self._json("GET", self._instance(id))

    def list_instances(self, query: Json) -> Json:
        return self._json("GET", "/v1/instances", query={"pageSize": 100, **query})

    def get_history(self, id: str) -> Json:
        return self._json("GET", self._instance(id, "history"))

    def cancel_instance(self, id: str, reason: str | None) -> Json:
        return self._json("POST", self._instance(id, "cancel"), {"reason": reason})

    def complete_user_task(self, instance_id: str, step_id: str, request: Json) -> None:
        body = {"completedBy": request.get("completedBy", ""), "result": request.get("variables") or {}}
        self._send("POST", self._instance(instance_id, "user-tasks", step_id, "complete"), body)

    def signal(self, instance_id: str, step_id: str, variables: Json) -> None:
        self._send("POST", self._instance(instance_id, "signals", step_id), variables)

    def poll(self, worker_id: str, job_types: list[str], max_jobs: int, lease_seconds: int) -> list[Json]:
        body = {"workerId": worker_id, "jobTypes": job_types, "maxJobs": max_jobs, "leaseSeconds": lease_seconds}
        jobs: list[Json] = self._json("POST", "/v1/jobs/poll", body)["jobs"]
        return jobs

    def complete(self, job_id: str, worker_id: str, variables: Json) -> None:
        self._send("POST", "/v1/jobs/complete", {"jobId": job_id, "workerId": worker_id, "variablesToSet": variables})

    def fail(self, job_id: str, worker_id: str, failure: Json) -> None:
        self._send("POST", "/v1/jobs/fail", {"jobId": job_id, "workerId": worker_id, **failure})

    def close(self) -> None:
        pass

    def _instance(self, *parts: str) -> str:
        return "/v1/instances/" + "/".join(quote(part, safe="") for part in parts)

    def _json(self, method: str, path: str, body: Any = None, query: Json | None = None) -> Json:
        answer: Json = self._send(method, path, body, query)
        return answer

    def _send(self, method: str, path: str, body: Any = None, query: Json | None = None) -> Any:
        url = self._url + path + (f"?{urlencode(query)}" if query else "")
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(url, data, {"content-type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request) as answer:
                text = answer.read()
        except urllib.error.HTTPError as error:
            raise _refused(error) from error
        except OSError as error:
            raise Refused("unavailable", str(error), retryable=True) from error
        return json.loads(text) if text else None


def _refused(error: urllib.error.HTTPError) -> Refused:
    try:
        said = json.loads(error.read())
    except ValueError:
        said = {}
    code = str(said.get("error", f"http-{error.code}"))
    return Refused(code, str(said.get("message", error.reason)), retryable=error.code in (429, 502, 503, 504))
