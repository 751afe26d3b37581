import type { Store } from "@midfold/store";
import { createBills } from "../learn/bills.ts";
import { createCalibrations } from "../learn/calibrations.ts";
import { createLastAnswers } from "../learn/last-answers.ts";
import { createLimits } from "../learn/limits.ts";
import { createReplies } from "../learn/replies.ts";
import { createUpstreamQuirks } from "../learn/upstream-quirks.ts";
import type { ExchangeLog, ExchangeTools } from "./ask.ts";

export interface ExchangeToolsOptions {
  readonly store: Store | undefined;
  readonly log: ExchangeLog;
  readonly now: () => number;
}

/** What a server learns about its upstreams, in one place for gateway and chat. */
export function createExchangeTools({ store, log, now }: ExchangeToolsOptions): ExchangeTools {
  const onStoreError = (err: unknown) => log.warn({ err }, "the store did not answer; going on without it");
  return {
    limits: createLimits({ store, now, onStoreError }),
    calibrations: createCalibrations({ store, onStoreError }),
    bills: createBills(),
    replies: createReplies(),
    lastAnswers: createLastAnswers(),
    quirks: createUpstreamQuirks(),
    log,
  };
}
