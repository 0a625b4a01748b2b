// The document of a version as it was uploaded: to read, to copy, to keep as a file.
import type { Definition } from "../../api/definitions.ts"
import { Button } from "../../kit/button.tsx"
import { Json, jsonText } from "../../kit/json.tsx"

export function JsonPanel({ definition }: { readonly definition: Definition }) {
  const { version, uploadedAt: _uploadedAt, ...document } = definition
  return (
    <div className="flex flex-col gap-3 p-4">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <p className="text-muted">As it was uploaded: it can be posted back.</p>
        <Button onClick={() => download(`${definition.id}-v${version}.json`, jsonText(document))}>Download</Button>
      </div>
      <Json value={document} label="definition" className="[&>section]:max-h-[65vh]" />
    </div>
  )
}

function download(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: "application/json" }))
  const link = document.createElement("a")
  link.href = url
  link.download = name
  link.click()
  URL.revokeObjectURL(url)
}
