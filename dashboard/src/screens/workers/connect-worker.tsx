// "Connect a worker": a whole worker for a job type that no worker asks for, in four languages, to copy.
import { useState } from "react"
import { CopyButton } from "../../kit/json.tsx"
import { Tabs } from "../../kit/tabs.tsx"
import { LANGUAGES, type Language, workerCode } from "./worker-code.ts"

export function ConnectWorker({ jobType }: { readonly jobType: string }) {
  const [language, setLanguage] = useState<Language>("TypeScript")
  const code = workerCode(language, { jobType, url: window.location.origin })
  return (
    <details className="min-w-0">
      <summary className="cursor-pointer font-medium">
        Connect a worker for <span className="break-all">{jobType}</span>
      </summary>
      <div className="bg-surface border-line mt-2 rounded-lg border">
        <Tabs
          label={`Languages of a worker for ${jobType}`}
          tabs={LANGUAGES.map((name) => ({ name, label: name }))}
          current={language}
          onChange={setLanguage}
        >
          <div className="bg-sunken relative min-w-0">
            <CopyButton text={code} label={`Copy the worker in ${language}`} className="absolute top-1 right-1" />
            <section aria-label={`A worker in ${language}`} tabIndex={0} className="max-h-96 overflow-auto p-3 pr-16">
              <pre className="font-mono text-xs leading-5">{code}</pre>
            </section>
          </div>
        </Tabs>
      </div>
    </details>
  )
}
