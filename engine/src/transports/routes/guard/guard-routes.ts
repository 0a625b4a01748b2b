// Every route of the guard. An administrator whose own address was blocked reaches them, and can lift the block.
import type { RestOptions } from "../../calls/options.ts"
import type { Route } from "../../calls/route.ts"
import { blockRoutes } from "./blocks.ts"
import { stateRoutes } from "./guard.ts"
import { shadowRoutes } from "./shadow.ts"

export const guardRoutes = (options: Pick<RestOptions, "guarding">): readonly Route[] =>
  [...stateRoutes(options), ...blockRoutes(options), ...shadowRoutes(options)].map((route) => ({
    ...route,
    liftsBlocks: true,
  }))
