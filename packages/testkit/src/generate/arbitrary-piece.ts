import fc from "fast-check";
import type { ResolvedOptions } from "./conversation-options.ts";
import type { Piece, TextPiece, Thought } from "./draft.ts";
import { sealThought } from "./sign-thought.ts";
import { type TextKind, textKinds, writeText } from "./write-text.ts";

const plainKinds: readonly TextKind[] = ["prose", "code", "log", "json", "facts"];

/** Text of realistic kinds and sizes: mostly short, sometimes long; it shrinks towards short prose. */
export function arbitraryText({ maxChars, switches }: ResolvedOptions): fc.Arbitrary<string> {
  const kinds = switches.unicode ? textKinds : plainKinds;
  const chars = fc.oneof(
    { weight: 5, arbitrary: fc.integer({ min: 1, max: Math.min(120, maxChars) }) },
    { weight: 3, arbitrary: fc.integer({ min: 1, max: Math.min(1_000, maxChars) }) },
    { weight: 1, arbitrary: fc.integer({ min: 1, max: maxChars }) },
  );
  return fc
    .record({ kind: fc.constantFrom(...kinds), seed: fc.nat(9_999), chars })
    .map((options) => writeText(options))
    .map((text) => (text.trim() === "" ? "ok" : text.trimEnd()));
}

export const arbitraryTextPiece = (options: ResolvedOptions): fc.Arbitrary<TextPiece> =>
  arbitraryText(options).map((text) => ({ kind: "text", text }));

const image: fc.Arbitrary<Piece> = fc.constantFrom<Piece>(
  { kind: "image", width: 1, height: 1 },
  { kind: "image", width: 640, height: 480 },
  { kind: "image", width: 1536, height: 1024 },
  { kind: "image", width: 0, height: 0, url: "https://example.org/plan.png" },
);

const unknown: fc.Arbitrary<Piece> = fc
  .record({
    type: fc.constantFrom("hologram", "telemetry_v9", "constructor"),
    value: fc.dictionary(
      fc.constantFrom("note", "level", "toString", "nested"),
      fc.oneof(fc.string({ maxLength: 40 }), fc.nat(), fc.constant({ deep: [1, null, "x"] })),
    ),
  })
  .map(({ type, value }) => ({ kind: "unknown", type, value }));

/** The content of a user message: words first, then whatever was attached. Empty only where that is allowed. */
export function arbitraryUserPieces(options: ResolvedOptions): fc.Arbitrary<readonly Piece[]> {
  const { images, files, unknownBlocks, emptyMessages } = options.switches;
  const text = arbitraryTextPiece(options);
  const file: fc.Arbitrary<Piece> = arbitraryText(options).map((body) => ({
    kind: "file",
    name: "notes.txt",
    text: body,
  }));
  const extras: fc.Arbitrary<Piece>[] = [text];
  if (images) extras.push(image);
  if (files) extras.push(file);
  if (unknownBlocks) extras.push(unknown);
  const choices: fc.WeightedArbitrary<readonly Piece[]>[] = [
    { weight: 8, arbitrary: text.map((piece) => [piece]) },
    { weight: 2, arbitrary: fc.tuple(text, fc.oneof(...extras)) },
  ];
  if (emptyMessages) {
    choices.push({ weight: 1, arbitrary: fc.constantFrom<readonly Piece[]>([], [{ kind: "text", text: "" }]) });
  }
  return fc.oneof(...choices);
}

/** The words of an assistant message, which may be absent where calls follow. */
export function arbitraryWords(options: ResolvedOptions, mayBeAbsent: boolean): fc.Arbitrary<readonly TextPiece[]> {
  const spoken = arbitraryTextPiece(options).map((piece) => [piece]);
  const choices: fc.WeightedArbitrary<readonly TextPiece[]>[] = [{ weight: 6, arbitrary: spoken }];
  if (mayBeAbsent) choices.push({ weight: 4, arbitrary: fc.constant([]) });
  if (options.switches.emptyMessages) choices.push({ weight: 1, arbitrary: fc.constant([{ kind: "text", text: "" }]) });
  return fc.oneof(...choices);
}

export function arbitraryThoughts(options: ResolvedOptions): fc.Arbitrary<readonly Thought[]> {
  if (!options.switches.reasoning) return fc.constant([]);
  const thought: fc.Arbitrary<Thought> = fc.oneof(
    { weight: 3, arbitrary: arbitraryText(options).map((text) => ({ text })) },
    { weight: 1, arbitrary: fc.nat(999).map((seed) => ({ opaque: sealThought(`thought ${seed}`) })) },
  );
  return fc.oneof(
    { weight: 3, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.array(thought, { minLength: 1, maxLength: 2 }) },
  );
}

/** The output of a tool: usually text, now and then a picture or nothing. */
export function arbitraryOutput(
  options: ResolvedOptions,
): fc.Arbitrary<readonly (TextPiece | Extract<Piece, { kind: "image" }>)[]> {
  type Output = readonly (TextPiece | Extract<Piece, { kind: "image" }>)[];
  const choices: fc.WeightedArbitrary<Output>[] = [
    { weight: 8, arbitrary: arbitraryTextPiece(options).map((piece) => [piece]) },
    { weight: 1, arbitrary: fc.constant([]) },
  ];
  if (options.switches.images) {
    choices.push({
      weight: 1,
      arbitrary: arbitraryTextPiece(options).map((piece) => [piece, { kind: "image", width: 64, height: 64 }]),
    });
  }
  return fc.oneof(...choices);
}
