import { spawnSync } from "node:child_process";

/** Set inside the network namespace, so that the second start knows it is there. */
const marker = "MIDFOLD_E2E_OFFLINE";

export const isOffline = (): boolean => process.env[marker] === "1";

/**
 * Starts this program again in a network namespace that has nothing but loopback. Returns its exit code, or undefined
 * where the machine does not allow that.
 */
export function goOffline(args: readonly string[]): number | undefined {
  if (spawnSync("unshare", ["-rn", "true"]).status !== 0) return undefined;
  const inner = 'ip link set lo up && exec "$0" "$@"';
  const { status } = spawnSync("unshare", ["-rn", "sh", "-c", inner, process.execPath, ...args], {
    stdio: "inherit",
    env: { ...process.env, [marker]: "1" },
  });
  return status ?? 1;
}
