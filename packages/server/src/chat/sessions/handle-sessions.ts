import type { SessionPatch, SessionRecord } from "@midfold/store";
import { publishEvent } from "../events/publish-event.ts";
import type { Handler } from "../http/handler.ts";
import { modelForNewSessions } from "../settings/list-models.ts";
import { replyKey } from "../turn/running-work.ts";
import { namedByHand } from "./name-session.ts";
import { noteSystemChange } from "./system-history.ts";
import { shelfOf, toApiSession, toShelf } from "./to-api-session.ts";
import { untitled } from "./untitled.ts";

export const listSessions: Handler<"listSessions"> = async ({ chat, query }) => {
  const words = query.search?.toLowerCase().trim() ?? "";
  const { tag, pinned, archived, branchesOf } = query;
  const isWanted = (record: SessionRecord): boolean => {
    const shelf = shelfOf(record);
    return (
      (words === "" || record.title.toLowerCase().includes(words)) &&
      (tag === undefined || shelf.tags.includes(tag)) &&
      (pinned === undefined || shelf.pinned === pinned) &&
      (branchesOf === undefined || record.parent?.sessionId === branchesOf) &&
      shelf.archived === archived
    );
  };
  const picky = words !== "" || tag !== undefined || pinned === true || archived || branchesOf !== undefined;
  const found: SessionRecord[] = [];
  let next = query.cursor;
  do {
    const page = await chat.store.sessions.list({ limit: query.limit, ...(next === undefined ? {} : { after: next }) });
    found.push(...page.items.filter(isWanted));
    next = page.next;
  } while (picky && next !== undefined && found.length < query.limit);
  return { sessions: await Promise.all(found.map((record) => toApiSession(chat, record))), next: next ?? null };
};

export const createSession: Handler<"createSession"> = async ({ chat, body }) => {
  const record = await chat.store.sessions.create({
    title: body.title ?? untitled,
    model: body.model ?? (await modelForNewSessions(chat)),
    ...(body.system === undefined ? {} : { systemPrompt: body.system }),
  });
  await publishEvent(chat, { type: "session.created", sessionId: record.id });
  return toApiSession(chat, record);
};

export const getSession: Handler<"getSession"> = async ({ chat, params }) =>
  toApiSession(chat, await chat.store.sessions.get(params.sessionId));

export const updateSession: Handler<"updateSession"> = async ({ chat, params, body }) => {
  const before = await chat.store.sessions.get(params.sessionId);
  const metadata = body.system === undefined ? before.metadata : noteSystemChange(before, body.system);
  const patch: SessionPatch = {
    ...(body.title === undefined ? {} : { title: body.title }),
    ...(body.model === undefined ? {} : { model: body.model }),
    ...(body.system === undefined ? {} : { systemPrompt: body.system }),
    metadata: {
      ...(body.title === undefined ? metadata : namedByHand(metadata)),
      ...toShelf(body),
    },
  };
  const record = await chat.store.sessions.update(before.id, patch, body.version);
  await publishEvent(chat, { type: "session.updated", sessionId: record.id });
  return toApiSession(chat, record);
};

export const deleteSession: Handler<"deleteSession"> = async ({ chat, params }) => {
  await publishEvent(chat, { type: "reply.stop", sessionId: params.sessionId });
  chat.running.abort(replyKey(chat.store.owner, params.sessionId));
  await chat.store.sessions.remove(params.sessionId);
  await publishEvent(chat, { type: "session.deleted", sessionId: params.sessionId });
  return undefined;
};

export const branchSession: Handler<"branchSession"> = async ({ chat, params, body }) => {
  const origin = await chat.store.sessions.get(params.sessionId);
  const record = await chat.store.sessions.branch(origin.id, {
    upTo: body.messageId,
    title: body.title ?? `${origin.title} (branch)`,
  });
  await publishEvent(chat, { type: "session.created", sessionId: record.id });
  return toApiSession(chat, record);
};
