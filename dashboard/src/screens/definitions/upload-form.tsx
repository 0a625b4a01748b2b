// The editor of an upload, and the ways to get text into it. What was typed stays, whatever comes of the upload.
import { type DragEvent, type FormEvent, useMemo, useRef, useState } from "react"
import type { Violation } from "../../api/http.ts"
import { JsonEditor } from "../../forms/json-editor.tsx"
import { Button } from "../../kit/button.tsx"
import { cx } from "../../kit/classes.ts"
import { jsonText, parseJson } from "../../kit/json.tsx"
import { Card } from "../../kit/page.tsx"
import { ErrorNote } from "../../kit/states.tsx"
import { EXAMPLE } from "./example.ts"
import { mendedMarks } from "./mended-marks.ts"

interface Props {
  readonly initial: string
  readonly marks: readonly Violation[]
  readonly error: unknown
  readonly busy: boolean
  readonly onUpload: (document: unknown) => void
}

/** The engine takes no larger request. */
const MAX_BYTES = 1_048_576

export function UploadForm({ initial, marks, error, busy, onUpload }: Props) {
  const [text, show] = useState(initial)
  const [refused, setRefused] = useState<unknown>()
  const [mended, setMended] = useState<ReadonlySet<Violation>>(new Set())
  const standing = useMemo(() => marks.filter((mark) => !mended.has(mark)), [marks, mended])
  const [fileError, setFileError] = useState<Error>()
  const [isOver, setIsOver] = useState(false)
  const picker = useRef<HTMLInputElement>(null)
  const parsed = parseJson(text)

  const setText = (next: string) => {
    show(next)
    const { value, error } = { value: undefined, ...parseJson(next) }
    if (error === undefined) setMended((before) => new Set([...before, ...mendedMarks(marks, refused, value)]))
  }
  const read = async (file: File | undefined) => {
    setIsOver(false)
    if (!file) return
    if (file.size > MAX_BYTES) return setFileError(new Error(`${file.name} is larger than 1 MiB: it is no definition.`))
    setFileError(undefined)
    setText(await file.text())
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (parsed.error !== undefined) return
    setRefused(parsed.value)
    onUpload(parsed.value)
  }
  const onDrag = (event: DragEvent) => {
    event.preventDefault()
    setIsOver(true)
  }
  return (
    <Card className={cx(isOver && "outline-accent outline-2 outline-dashed")}>
      <form
        onSubmit={submit}
        onDragOver={onDrag}
        onDragLeave={() => setIsOver(false)}
        onDrop={(event) => {
          event.preventDefault()
          void read(event.dataTransfer.files[0])
        }}
        className="flex flex-col gap-3"
      >
        <div className="flex flex-wrap items-center gap-2">
          <Button onClick={() => picker.current?.click()}>Choose a file</Button>
          <input
            ref={picker}
            type="file"
            accept=".json,application/json"
            aria-label="A file with a definition"
            hidden
            onChange={(event) => void read(event.target.files?.[0])}
          />
          {text.trim() === "" && <Button onClick={() => setText(jsonText(EXAMPLE))}>Insert an example</Button>}
          <Button
            look="quiet"
            disabled={parsed.error !== undefined}
            onClick={() => parsed.error === undefined && setText(jsonText(parsed.value))}
          >
            Tidy up
          </Button>
          <p className="text-muted text-xs">Paste the JSON below, or drop a file anywhere here.</p>
        </div>
        <JsonEditor
          label="Definition, as JSON"
          value={text}
          onChange={setText}
          marks={standing}
          minLines={18}
          mayBeEmpty
        />
        <ErrorNote error={error ?? fileError} />
        <div className="flex flex-wrap items-center justify-end gap-3">
          {standing.length > 0 && (
            <p role="status" className="text-bad">
              Not taken: mend what is marked, then upload again.
            </p>
          )}
          <Button type="submit" look="primary" busy={busy} disabled={parsed.error !== undefined}>
            Upload
          </Button>
        </div>
      </form>
    </Card>
  )
}
