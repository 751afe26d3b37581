import { MidfoldError } from "@midfold/core";
import { describe, expect, test } from "vitest";
import { AnswerQueue, bodyOf } from "./answer-body.ts";
import { readText } from "./read-text.ts";

const bytes = (text: string) => Buffer.from(text);
const broken = new MidfoldError("UPSTREAM_BROKEN", "It broke off.");

function queue() {
  const told: string[] = [];
  const body = new AnswerQueue({ onRoom: () => told.push("room"), onCancel: () => told.push("cancel") });
  return { body, told };
}

describe("an answer's bytes", () => {
  test("are read in order, waited for, and end once", async () => {
    const { body, told } = queue();
    body.push(bytes("a"));
    expect(await body.read()).toEqual(bytes("a"));
    const waiting = body.read();
    body.push(bytes("b"));
    body.push(bytes("c"));
    expect(await waiting).toEqual(bytes("b"));
    expect(body.readRest()).toBeUndefined();
    body.end();
    expect(body.readRest()).toEqual([bytes("c")]);
    expect(await body.read()).toBeUndefined();
    await body.cancel();
    expect(told).toEqual([]);
  });

  test("that arrived before a failure can be read; then it is told, again and again", async () => {
    const { body } = queue();
    body.push(bytes("a"));
    body.fail(broken);
    expect(body.readRest()).toBeUndefined();
    expect(await body.read()).toEqual(bytes("a"));
    await expect(body.read()).rejects.toBe(broken);
    await expect(body.read()).rejects.toBe(broken);
  });

  test("make no more room than is read", async () => {
    const { body, told } = queue();
    body.push(Buffer.alloc(60_000));
    expect(body.isFull).toBe(false);
    body.push(Buffer.alloc(60_000));
    expect(body.isFull).toBe(true);
    await body.read();
    expect(body.isFull).toBe(false);
    expect(told).toEqual(["room"]);
  });

  test("that nobody wants any longer end the upstream's work, also by leaving a loop", async () => {
    const left = queue();
    left.body.push(bytes("a"));
    for await (const piece of left.body) {
      expect(piece).toEqual(bytes("a"));
      break;
    }
    expect(left.told).toEqual(["cancel"]);
    const waited = queue();
    const waiting = waited.body.read();
    await waited.body.cancel();
    expect(await waiting).toBeUndefined();
    expect(waited.told).toEqual(["cancel"]);
    // What the cancelling itself brings about is no news to the reader.
    waited.body.fail(broken);
    expect(await waited.body.read()).toBeUndefined();
  });

  test("are text up to a limit, whole characters and no byte order mark", async () => {
    const { body } = queue();
    const euro = bytes("\uFEFFprice: 5 €");
    body.push(euro.subarray(0, -1));
    body.push(euro.subarray(-1));
    body.end();
    expect(await readText(body, 100)).toBe("price: 5 €");
    async function* pieces() {
      yield "abc";
      yield "def";
      throw new Error("must not be read");
    }
    expect(await readText(bodyOf(pieces()), 5)).toBe("abcde");
  });
});
