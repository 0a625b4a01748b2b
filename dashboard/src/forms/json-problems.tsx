// What is wrong with a JSON text, as a list that leads to each place.
import { Words } from "../kit/cut-text.tsx"
import type { Place } from "./json-places.ts"

interface Props {
  readonly places: readonly Place[]
  readonly onJump: (line: number) => void
}

export function Problems({ places, onJump }: Props) {
  return (
    <section aria-label="What is wrong" className="mt-1">
      <p className="text-bad text-xs font-medium">{places.length === 1 ? "1 problem" : `${places.length} problems`}</p>
      <ul className="border-line mt-1 max-h-60 divide-y overflow-y-auto rounded-md border">
        {places.map(({ line, path, message, hint }) => (
          <li key={`${line} ${path} ${message}`} className="border-line">
            <button
              type="button"
              onClick={() => onJump(line)}
              className="hover:bg-sunken grid w-full grid-cols-[4rem_minmax(0,1fr)] gap-x-2 px-2 py-1.5 text-left text-xs"
            >
              <span className="text-bad font-medium">Line {line}</span>
              <span className="min-w-0">
                {path && <code className="text-muted">{path.replace(/^\$\.?/, "") || "the whole"}</code>}{" "}
                <Words text={message} />
                {hint && <span className="text-muted block">{hint}</span>}
              </span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}
