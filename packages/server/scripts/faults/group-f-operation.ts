import type { Check } from "./check.ts";
export const operationChecks: readonly Check[] = [];
