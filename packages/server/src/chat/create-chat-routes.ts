import { setTimeout as delay } from "node:timers/promises";
import { SlicedCounts } from "@midfold/core/tokens";
import { Hono } from "hono";
import { writeOpenapi } from "../api/write-openapi.ts";
import { createExchangeTools } from "../exchange/create-exchange-tools.ts";
import type { ChatDeps, ChatServer } from "./chat.ts";
import * as context from "./context/handle-context.ts";
import * as events from "./events/handle-events.ts";
import { workOnFolds } from "./folds/fold-jobs.ts";
import * as fold from "./folds/handle-folds.ts";
import * as summaries from "./folds/handle-summaries.ts";
import type { Handlers } from "./http/handler.ts";
import { type ChatApp, registerOperations } from "./http/register-operations.ts";
import * as playground from "./playground/handle-playground.ts";
import * as drafts from "./sessions/clip-draft.ts";
import * as history from "./sessions/handle-history.ts";
import * as sessions from "./sessions/handle-sessions.ts";
import * as keys from "./settings/handle-keys.ts";
import * as providers from "./settings/handle-providers.ts";
import * as settings from "./settings/handle-settings.ts";
import * as transfer from "./transfer/handle-transfer.ts";
import * as turns from "./turn/handle-turns.ts";
import { createRunningWork } from "./turn/running-work.ts";
import { settleAtStart } from "./turn/settle-abandoned.ts";

const handlers: Handlers = {
  ...sessions,
  ...history,
  ...turns,
  ...context,
  ...drafts,
  ...fold,
  ...summaries,
  ...settings,
  ...keys,
  ...providers,
  ...transfer,
  ...playground,
  ...events,
};

/**
 * The chat API as a router to be mounted under `/api`. The caller authenticates and names the owner as the second
 * argument of `fetch`: `app.fetch(request, { owner })`. Takes folds off the store's queue until it is closed.
 */
export function createChatRoutes(deps: ChatDeps): ChatApp {
  const chat = createChat(deps);
  const app: ChatApp = new Hono();
  const document = writeOpenapi({ version: deps.version ?? "0.0.0" });
  app.get("/openapi.json", (c) => c.json(document));
  registerOperations(app, chat, handlers);
  settleAtStart(chat).catch((error: unknown) => {
    chat.log.warn(
      { err: error },
      "replies that were cut off could not be marked as interrupted; this is tried again when their chat is opened",
    );
  });
  workOnFolds(chat).catch((error: unknown) => {
    chat.log.error({ err: error }, "folds by hand cannot be run in this process");
  });
  return app;
}

function createChat(deps: ChatDeps): ChatServer {
  const { store, log, now = Date.now } = deps;
  return {
    stores: store,
    models: deps.models,
    log,
    exchange: deps.exchange ?? createExchangeTools({ store, log, now }),
    get config() {
      return deps.config ?? {};
    },
    get modelOverrides() {
      return deps.modelOverrides ?? {};
    },
    now,
    sleep: deps.sleep ?? ((ms, signal) => delay(ms, undefined, signal === undefined ? {} : { signal })),
    counts: deps.counts ?? new SlicedCounts(),
    running: createRunningWork(deps.onWork),
  };
}
