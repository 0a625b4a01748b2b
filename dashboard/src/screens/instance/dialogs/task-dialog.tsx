// Completes the open user task of a step, in the form that the step asks for.
import { useMutation } from "@tanstack/react-query"
import { useMemo, useState } from "react"
import { instanceChanged } from "../../../api/instance.ts"
import { completeUserTask } from "../../../api/user-tasks.ts"
import { SchemaForm } from "../../../forms/schema-form.tsx"
import { taskForm } from "../../../forms/task-form.ts"
import { useSchemaForm } from "../../../forms/use-schema-form.ts"
import { ActionDialog } from "../../../kit/dialog.tsx"
import { TextField } from "../../../kit/fields/fields.tsx"
import { say } from "../../../kit/toast.tsx"
import { stepName } from "../drawn-definition.ts"
import type { StepDialogProps } from "./step-dialog-props.ts"

export function TaskDialog({ instance, definition, stepId, choice, onClose }: StepDialogProps) {
  const { id } = instance
  const step = definition.steps.find((step) => step.id === stepId)
  const schema = useMemo(() => taskForm(step ?? {}), [step])
  const [by, setBy] = useState("")
  const name = stepName(definition, stepId)
  const complete = useMutation({
    mutationFn: () =>
      completeUserTask(id, stepId, { variables: form.value, ...(by.trim() === "" ? {} : { completedBy: by.trim() }) }),
    onSuccess: () => {
      say(`Completed ${name}`)
      onClose()
    },
    onSettled: () => instanceChanged(id),
  })
  const form = useSchemaForm(schema, complete.error, instance.variables)
  return (
    <ActionDialog
      title={`Complete ${name}`}
      verb="Complete the task"
      busy={complete.isPending}
      error={form.message}
      onConfirm={() => form.check() && complete.mutate()}
      onClose={onClose}
    >
      <p>The step ends and the instance goes on. What you fill in is merged into the variables.</p>
      {choice}
      <div ref={form.fields}>
        <SchemaForm schema={schema} value={form.value} onChange={form.setValue} errors={form.errors} />
      </div>
      <TextField
        label="Completed by"
        hint="A name for the audit trail, if another person did the work."
        value={by}
        onChange={(event) => setBy(event.target.value)}
      />
    </ActionDialog>
  )
}
