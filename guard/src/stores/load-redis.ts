// Loads the client of Redis when it is first needed: it comes with its user and not with the guard.

export type RedisModule = typeof import("@redis/client")

export async function loadRedis(
  load: () => Promise<RedisModule> = () => import("@redis/client"),
): Promise<RedisModule> {
  try {
    return await load()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw error
    throw new Error("Redis is set up, but the package that speaks to it is missing: npm install @redis/client@^5.12.1")
  }
}
