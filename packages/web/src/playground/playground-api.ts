import { api } from "../api/api.ts";
import { request } from "../api/request.ts";
import type * as t from "../api/types.gen.ts";

export const playgroundApi = {
  run: (body: t.PlaygroundRequest, signal: AbortSignal) =>
    request<t.PlaygroundResult>("POST", "/playground", { body, signal }),
  readSession: async (id: string): Promise<string> => (await api.exportSession(id, "json")).text(),
  /** The long example as a transcript. It only exists as a session, so one is made and taken away again. */
  readExample: async (): Promise<string> => {
    const session = await api.loadExample();
    try {
      return await (await api.exportSession(session.id, "json")).text();
    } finally {
      await api.deleteSession(session.id);
    }
  },
};
