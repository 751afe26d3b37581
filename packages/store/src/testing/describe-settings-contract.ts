import { describe, expect, it } from "vitest";
import { type Fixture, freshOwner } from "./test-engine.ts";

export function describeSettingsContract(fixture: () => Fixture): void {
  describe("settings", () => {
    it("are inherited from default to session, and say from where", async () => {
      const owner = freshOwner(fixture());
      const { id: sessionId } = await owner.sessions.create();
      const target = { provider: "openai", model: "gpt-4o", sessionId };
      const defaults = { threshold: 0.95, retainTokens: 1000, notify: true };
      await owner.settings.set({ kind: "global" }, { threshold: 0.9, notify: false });
      await owner.settings.set({ kind: "provider", provider: "openai" }, { threshold: 0.8 });
      await owner.settings.set({ kind: "model", provider: "openai", model: "gpt-4o" }, { threshold: 0.7 });
      await owner.settings.set({ kind: "session", sessionId }, { threshold: 0.6 });
      expect(await owner.settings.resolve(target, defaults)).toEqual({
        threshold: { value: 0.6, source: "session", inherited: 0.7 },
        retainTokens: { value: 1000, source: "default", inherited: 1000 },
        notify: { value: false, source: "global", inherited: true },
      });
      await owner.settings.set({ kind: "session", sessionId }, { threshold: undefined });
      expect((await owner.settings.resolve(target, defaults)).threshold).toEqual({
        value: 0.7,
        source: "model",
        inherited: 0.8,
      });
      expect((await owner.settings.resolve({ provider: "other" }, defaults)).threshold).toMatchObject({
        value: 0.9,
        source: "global",
      });
    });

    it("keep scopes apart whatever names contain", async () => {
      const owner = freshOwner(fixture());
      const odd = { kind: "model", provider: "a/b", model: "c%2Fd" } as const;
      await owner.settings.set(odd, { "key with spaces": { deep: [1] } });
      expect(await owner.settings.get({ kind: "model", provider: "a", model: "b/c%2Fd" })).toEqual({});
      expect(await owner.settings.list()).toEqual([{ scope: odd, key: "key with spaces", value: { deep: [1] } }]);
    });

    it("refuse a session that is not there", async () => {
      await expect(
        freshOwner(fixture()).settings.set({ kind: "session", sessionId: "none" }, { a: 1 }),
      ).rejects.toMatchObject({ code: "NOT_FOUND" });
    });
  });

  describe("context states", () => {
    it("hold one state per conversation until cleared", async () => {
      const owner = freshOwner(fixture());
      const state = {
        strategy: "sandwich",
        summary: "the middle",
        summaryRange: [5, 20] as const,
        compressedAt: 1_763_000_000_000,
      };
      expect(await owner.contextStates.get("c")).toBeUndefined();
      await owner.contextStates.put("c", state);
      await owner.contextStates.put("c", { ...state, summaryRange: [5, 30] });
      expect(await owner.contextStates.get("c")).toEqual({ ...state, summaryRange: [5, 30] });
      await owner.contextStates.clear("c");
      expect(await owner.contextStates.get("c")).toBeUndefined();
    });
  });
}
