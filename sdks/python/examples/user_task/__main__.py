"""Work for a person: the task is found in the inbox, claimed and completed. Without an event loop."""

import os

from millrace import Flow, SyncEngineClient


def main() -> None:
    with SyncEngineClient(os.environ.get("MILLRACE_URL", "http://127.0.0.1:8080")) as client:
        flow = Flow("approval", "Approval")
        flow.user_task("approve", assignee_group="managers", due_in="P1D").then("done")
        flow.end("done")
        client.upload_definition(flow.build())

        instance = client.start_instance("approval", variables={"amount": 1200})
        task = next(task for task in client.user_tasks(group="managers") if task.instance_id == instance.id)
        client.claim_user_task(task.id, "ada")
        client.complete_user_task(instance.id, "approve", completed_by="ada", variables={"approved": True})
        instance = client.get_instance(instance.id)
        print(instance.status, instance.variables)


main()
