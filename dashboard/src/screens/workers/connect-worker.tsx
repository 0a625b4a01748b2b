// "Connect a worker": a whole worker for a job type that no worker asks for, in four languages, to copy.

import { useState } from "react"
import { CutName } from "../../kit/cut-text.tsx"
import { CopyButton } from "../../kit/json.tsx"
import { Tabs } from "../../kit/tabs.tsx"
import { LANGUAGES, type Language, SET_UP, workerCode } from "./worker-code.ts"

export function ConnectWorker({ jobType }: { readonly jobType: string }) {
  const [language, setLanguage] = useState<Language>("TypeScript")
  const code = workerCode(language, { jobType, url: window.location.origin })
  return (
    <details className="min-w-0">
      <summary className="cursor-pointer font-medium">
        Connect a worker for <CutName text={jobType} />
      </summary>
      <div className="bg-surface border-line mt-2 rounded-lg border">
        <Tabs
          label={`Languages of a worker for ${jobType}`}
          tabs={LANGUAGES.map((name) => ({ name, label: name }))}
          current={language}
          onChange={setLanguage}
        >
          <HowToRun language={language} />
          <Copied text={code} label={`A worker in ${language}`} copy={`Copy the worker in ${language}`} />
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
      <Copied
        text={install}
        label={`The command that installs ${language}`}
        copy={`Copy the command for ${language}`}
      />
      <p className="px-3 py-2">
        Start it with <code>{run}</code>; <code>{readme}</code> in the clone says more.
      </p>
    </>
  )
}

interface CopiedProps {
  readonly text: string
  readonly label: string
  readonly copy: string
}

const Copied = ({ text, label, copy }: CopiedProps) => (
  <div className="bg-sunken relative min-w-0">
    <CopyButton text={text} label={copy} className="absolute top-1 right-1" />
    <section aria-label={label} tabIndex={0} className="max-h-96 overflow-auto p-3 pr-16">
      <pre className="font-mono text-xs leading-5 break-words whitespace-pre-wrap">{text}</pre>
    </section>
  </div>
)
