// Upload a definition: paste it, drop a file, or begin with an example. The engine is the judge; what it finds is shown at its line.
import { useMutation, useQuery } from "@tanstack/react-query"
import { getRouteApi, Link } from "@tanstack/react-router"
import { type Definition, definitionQuery, uploadDefinition } from "../../api/definitions.ts"
import { ApiError } from "../../api/http.ts"
import { queryClient } from "../../api/query-client.ts"
import { useMay } from "../../api/session.ts"
import { CutName } from "../../kit/cut-text.tsx"
import { jsonText } from "../../kit/json.tsx"
import { Page } from "../../kit/page.tsx"
import { Empty, Loaded } from "../../kit/states.tsx"
import { say } from "../../kit/toast.tsx"
import { UploadForm } from "./upload-form.tsx"

const route = getRouteApi("/upload")

export function UploadScreen() {
  const { from } = route.useSearch()
  const mayWrite = useMay("definitions:write")
  return (
    <Page
      title={from === undefined ? "Upload a definition" : "Upload a new version"}
      crumbs={
        from === undefined ? (
          <Link to="/definitions">Definitions</Link>
        ) : (
          <>
            <Link to="/definitions">Definitions</Link> /{" "}
            <Link to="/definitions/$definitionId" params={{ definitionId: from }}>
              <CutName text={from} />
            </Link>
          </>
        )
      }
      lead="The engine looks at every part of it and takes it whole or not at all. Running instances keep the version they have."
    >
      {!mayWrite ? (
        <Empty title="This key may not upload definitions.">
          It needs the scope <code>definitions:write</code>.
        </Empty>
      ) : from === undefined ? (
        <Upload key="new" />
      ) : (
        <UploadNext key={from} definitionId={from} />
      )}
    </Page>
  )
}

/** Read once: an upload by another person meanwhile does not change what is being typed. */
function UploadNext({ definitionId }: { readonly definitionId: string }) {
  const query = useQuery({
    ...definitionQuery(definitionId),
    staleTime: Number.POSITIVE_INFINITY,
    refetchInterval: false,
  })
  return <Loaded query={query}>{(latest) => <Upload latest={latest} />}</Loaded>
}

function Upload({ latest }: { readonly latest?: Definition }) {
  const navigate = route.useNavigate()
  const upload = useMutation({
    mutationFn: uploadDefinition,
    onSuccess: async ({ id, version, name }) => {
      const isSame = id === latest?.id && version === latest.version
      say(isSame ? `Nothing changed: version ${version} says the same` : `Uploaded ${name}, version ${version}`)
      await queryClient.invalidateQueries({ queryKey: ["definition", id] })
      void queryClient.invalidateQueries({ queryKey: ["definitions"] })
      await navigate({ to: "/definitions/$definitionId", params: { definitionId: id } })
    },
  })
  const marks = upload.error instanceof ApiError ? upload.error.violations : []
  return (
    <UploadForm
      initial={latest ? documentText(latest) : ""}
      marks={marks}
      error={marks.length > 0 ? undefined : upload.error}
      busy={upload.isPending}
      onUpload={(document) => upload.mutate(document)}
    />
  )
}

function documentText({ version: _version, uploadedAt: _uploadedAt, ...document }: Definition): string {
  return jsonText(document)
}
