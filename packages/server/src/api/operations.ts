import { contextOperations } from "./context-operations.ts";
import { foldOperations } from "./fold-operations.ts";
import type { Operation } from "./operation.ts";
import { sessionOperations } from "./session-operations.ts";
import { settingsOperations } from "./settings-operations.ts";

/** The whole chat API. Paths are below the mount point, `/api`. */
export const operations = {
  ...sessionOperations,
  ...contextOperations,
  ...foldOperations,
  ...settingsOperations,
} as const satisfies Record<string, Operation>;

export type OperationName = keyof typeof operations;
