// Below the steps: the variables, the history and the audit trail. Which one is open is in the address.
import { Card } from "../../../kit/page.tsx"
import { Tabs } from "../../../kit/tabs.tsx"
import type { PanelName } from "../search.ts"
import { AuditPanel } from "./audit-panel.tsx"
import { HistoryPanel } from "./history-panel.tsx"
import type { PanelProps } from "./panel-props.ts"
import { VariablesPanel } from "./variables-panel.tsx"

const LABELS: Readonly<Record<PanelName, string>> = {
  variables: "Variables",
  history: "History",
  audit: "Audit",
}

const TABS = (Object.entries(LABELS) as [PanelName, string][]).map(([name, label]) => ({ name, label }))

const PANELS: Readonly<Record<PanelName, React.ComponentType<PanelProps>>> = {
  variables: VariablesPanel,
  history: HistoryPanel,
  audit: AuditPanel,
}

export function InstancePanels(props: PanelProps) {
  const { search, change } = props
  const current = search.panel ?? "variables"
  const Panel = PANELS[current]
  return (
    <Card flush>
      <Tabs label="About the instance" tabs={TABS} current={current} onChange={(panel) => change({ panel })}>
        <Panel {...props} />
      </Tabs>
    </Card>
  )
}
