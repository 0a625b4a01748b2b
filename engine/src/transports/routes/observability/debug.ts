// The route of developers: what the process was started with. Where it is not developed on there is no such route.
import type { wire } from "@millrace/sdk"
import { ok } from "../../calls/answers.ts"
import type { RestOptions } from "../../calls/options.ts"
import type { Route } from "../../calls/route.ts"

export const debugRoutes = ({ shownSettings }: Pick<RestOptions, "shownSettings">): readonly Route[] =>
  shownSettings
    ? [
        {
          method: "GET",
          path: "/debug/config",
          permission: "admin",
          handle: () => ok<wire.DebugConfig>({ settings: shownSettings().map((setting) => ({ ...setting })) }),
        },
      ]
    : []
