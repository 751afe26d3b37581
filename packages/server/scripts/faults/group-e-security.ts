import type { Check } from "./check.ts";
export const securityChecks: readonly Check[] = [];
