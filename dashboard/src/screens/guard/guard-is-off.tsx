// Shown where no guard stands at the doors: when it would, and how to put it there.
import { CopyButton } from "../../kit/json.tsx"
import { Card } from "../../kit/page.tsx"

const COMMAND = "WE_GUARD=on npm start"

export const GuardIsOff = () => (
  <Card title="The guard is off">
    <div className="flex max-w-prose flex-col gap-3">
      <p>
        Every call passes, and nothing is counted. It stands at the doors by itself where the engine can be reached from
        other machines (<code>WE_BIND_ADDRESS</code>) or from behind a proxy (<code>WE_TRUSTED_PROXIES</code>), unless{" "}
        <code>WE_GUARD=off</code> keeps it away.
      </p>
      <p>To try it here, start the engine with it:</p>
      <div className="bg-sunken flex items-center justify-between gap-2 rounded-md py-1 pr-1 pl-3">
        <code className="text-xs">{COMMAND}</code>
        <CopyButton text={COMMAND} label="Copy the command" />
      </div>
    </div>
  </Card>
)
