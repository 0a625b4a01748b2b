// "Connect a worker": a whole worker for a job type that no worker asks for, in four languages, to copy.

import { type ReactNode, useState } from "react"
import { Snippet } from "../../kit/json.tsx"
import { Tabs } from "../../kit/tabs.tsx"
import { LANGUAGES, type Language, SET_UP, workerCode } from "./worker-code.ts"

interface Props {
  readonly jobType: string
  /** What is said of the type, before the way to connect a worker. */
  readonly children?: ReactNode
}

export function ConnectWorker({ jobType, children }: Props) {
  const [language, setLanguage] = useState<Language>("TypeScript")
  const code = workerCode(language, { jobType, url: window.location.origin })
  return (
    <details className="min-w-0">
      <summary className="cursor-pointer">
        {children} <span className="text-accent font-medium whitespace-nowrap underline">Connect a worker</span>
      </summary>
      <div className="bg-surface border-line mt-2 rounded-lg border">
        <Tabs
          label={`Languages of a worker for ${jobType}`}
          tabs={LANGUAGES.map((name) => ({ name, label: name }))}
          current={language}
          onChange={setLanguage}
        >
          <HowToRun language={language} />
          <Snippet code={code} label={`A worker in ${language}`} copy={`Copy the worker in ${language}`} />
        </Tabs>
      </div>
    </details>
  )
}

function HowToRun({ language }: { readonly language: Language }) {
  const { file, install, run, readme } = SET_UP[language]
  return (
    <>
      <p className="px-3 py-2">
        Save the worker as <code>{file}</code> in a folder beside a clone of Millrace, <code>../millrace</code>. Install
        there:
      </p>
      <Snippet
        code={install}
        label={`The command that installs ${language}`}
        copy={`Copy the command for ${language}`}
      />
      <p className="px-3 py-2">
        Start it with <code>{run}</code>; <code>{readme}</code> in the clone says more.
      </p>
    </>
  )
}
