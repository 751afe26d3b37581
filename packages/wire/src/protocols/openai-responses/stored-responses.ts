import { isJsonObject, textField } from "../json-object.ts";
import type { BodyAccess } from "../protocol.ts";
import { itemsOf } from "./items-of.ts";

/** `previous_response_id`: a client that goes on from an answer sends only what is new. */
export const storedResponses: NonNullable<BodyAccess["stored"]> = {
  previousOf: (body) => (isJsonObject(body) ? textField(body.previous_response_id) : undefined),
  withHistory: (body, items) => {
    if (!isJsonObject(body)) return body;
    const { previous_response_id: _, ...rest } = body;
    return { ...rest, input: [...items, ...itemsOf(body)] };
  },
  isKept: (body) => isJsonObject(body) && body.store !== false,
  outputOf: (response) => {
    if (!isJsonObject(response) || !Array.isArray(response.output)) return undefined;
    const id = textField(response.id);
    return id === undefined ? undefined : { id, items: response.output };
  },
  answerIn: (frames) => {
    const at = Math.max(frames.indexOf("event: response.completed"), frames.indexOf("event: response.incomplete"));
    const data = at === -1 ? undefined : /^data: (.+)$/m.exec(frames.slice(at))?.[1];
    if (data === undefined) return undefined;
    const event: unknown = JSON.parse(data);
    return isJsonObject(event) ? event.response : undefined;
  },
};
