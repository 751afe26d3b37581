import { beforeAll, describe, expect, it } from "vitest";
import type { OwnerStore } from "../store.ts";
import { type Fixture, freshOwner, say, textIn } from "./test-engine.ts";

const texts = [
  "The quick brown fox jumps over the lazy dog",
  "Compression of conversations in foo_bar.ts and Café Zürich",
  "我们明天在北京见面，讨论数据库迁移。",
  "東京タワーで会いましょう。データベースの移行について",
  "내일 서울에서 데이터베이스 이전을 논의합시다",
  "Встретимся завтра в Москве, обсудим базу данных",
  "سنلتقي غدا في القاهرة",
  "พบกันพรุ่งนี้ที่กรุงเทพ",
  "error ECONNREFUSED 127.0.0.1:5432 at line 42",
  "the dog that is brown and quick",
  "𠮷野家で昼ごはん",
];

export function describeSearchContract(fixture: () => Fixture): void {
  describe("search", () => {
    let owner: OwnerStore;
    let sessionId: string;
    beforeAll(async () => {
      owner = freshOwner(fixture());
      sessionId = (await owner.sessions.create({ title: "languages" })).id;
      await owner.messages.append(
        sessionId,
        texts.map((text) => say(text)),
      );
    });

    it.each<[string, readonly number[]]>([
      ["fox", [0]],
      ["FOX", [0]],
      ["quick brown", [0, 9]],
      ['"quick brown"', [0]],
      ["compress", [1]],
      ["co", []],
      ["do", []],
      ["cafe zurich", [1]],
      ["foo_bar.ts", [1]],
      ["bar foo", [1]],
      ["北京", [2]],
      ["京", [2, 3]],
      ["面", [2]],
      ["数据库迁移", [2]],
      ["迁数", []],
      ["データベース", [3]],
      ["東京", [3]],
      ["서울", [4]],
      ["데이터", [4]],
      ["москве", [5]],
      ["القاهرة", [6]],
      ["กรุงเทพ", [7]],
      ["127.0.0.1:5432", [8]],
      ["econnrefused 42", [8]],
      ["𠮷野", [10]],
      ["nothing like this", []],
      ["北京 fox", []],
      ['"" !!! ?', []],
      ["' OR 1=1 --", []],
      ['" AND NEAR(', []],
    ])("finds %s", async (query, expected) => {
      const page = await owner.messages.search(query);
      expect(page.items.map(({ message }) => texts.indexOf(textIn(message))).sort((a, b) => a - b)).toEqual(expected);
      expect(page).toMatchObject({ count: expected.length, countIsExact: true });
    });

    it("shows where the words stand", async () => {
      const { items } = await owner.messages.search("北京 数据库");
      const [hit] = items;
      expect(hit).toMatchObject({ sessionTitle: "languages" });
      expect(hit!.highlights.map(([start, end]) => hit!.snippet.slice(start, end))).toEqual(["北京", "数据库"]);
    });

    it("cuts an excerpt out of a long message", async () => {
      const { id } = await owner.sessions.create();
      const long = `${"padding words here ".repeat(400)}needle ${"more padding ".repeat(400)}`;
      await owner.messages.append(id, [say(long)]);
      const [hit] = (await owner.messages.search("needle")).items;
      expect(hit!.snippet.length).toBeLessThan(260);
      expect(hit!.highlights.map(([start, end]) => hit!.snippet.slice(start, end))).toEqual(["needle"]);
    });

    it("finds the end of a message far longer than one entry of the index", async () => {
      const { id } = await owner.sessions.create();
      const words = Array.from({ length: 40_000 }, (_, index) => `w${index}`);
      await owner.messages.append(id, [say(`${words.join(" ")} finalword`)]);
      const page = await owner.messages.search("finalword", { sessionId: id });
      expect(page.count).toBe(1);
      expect((await owner.messages.search("w14999 w15000", { sessionId: id })).count).toBe(1);
      expect((await owner.messages.search('"w14999 w15000"', { sessionId: id })).count).toBe(1);
      expect((await owner.messages.search("w1", { sessionId: id })).items).toHaveLength(1);
    });

    it("finds words in tool calls, results and file names, newest first, page by page", async () => {
      const other = freshOwner(fixture());
      const { id } = await other.sessions.create();
      await other.messages.append(id, [
        { role: "assistant", parts: [{ type: "tool-call", id: "1", name: "grep", input: '{"pattern":"zebra"}' }] },
        { role: "tool", parts: [{ type: "tool-result", callId: "1", content: [{ type: "text", text: "zebra.ts" }] }] },
        { role: "user", parts: [{ type: "file", name: "zebra.pdf" }] },
      ]);
      const first = await other.messages.search("zebra", { limit: 2 });
      expect(first.items.map(({ message }) => message.seq)).toEqual([3, 2]);
      const second = await other.messages.search("zebra", { limit: 2, after: first.next! });
      expect(second.items.map(({ message }) => message.seq)).toEqual([1]);
      expect(second.next).toBeUndefined();
      expect(first.count).toBe(3);
    });

    it("stays within one session when asked", async () => {
      const { id } = await owner.sessions.create();
      await owner.messages.append(id, [say("another fox")]);
      expect((await owner.messages.search("fox")).count).toBe(2);
      expect((await owner.messages.search("fox", { sessionId: id })).count).toBe(1);
      expect((await owner.messages.search("fox", { sessionId: "none" })).count).toBe(0);
    });

    it("takes a very frequent word as it is, and a rare one also as the start of others", async () => {
      const other = freshOwner(fixture());
      const { id } = await other.sessions.create();
      await other.messages.append(id, [say("foxes"), ...Array.from({ length: 5 }, () => say("fox"))]);
      expect((await other.messages.search("fox")).count).toBe(6);
      await other.messages.append(
        id,
        Array.from({ length: 1001 }, () => say("fox")),
      );
      const before = await other.messages.search("fox", { limit: 200 });
      expect(before.countIsExact).toBe(false);
      expect((await other.messages.search("foxe")).count).toBe(1);
      expect((await other.messages.search("fox foxes")).count).toBe(0);
    });

    it("counts to a thousand and says that there are more", async () => {
      const other = freshOwner(fixture());
      const { id } = await other.sessions.create();
      await other.messages.append(
        id,
        Array.from({ length: 1005 }, () => say("same")),
      );
      expect(await other.messages.search("same", { limit: 1 })).toMatchObject({ count: 1000, countIsExact: false });
    });
  });
}
