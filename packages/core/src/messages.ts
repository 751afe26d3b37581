/** Messages of the neutral model: hashing, and making one text or one message shorter. */
export { type ClipMessageOptions, clipMessage } from "./clip/clip-message.ts";
export { type ClipTextOptions, clipText, defaultMarker } from "./clip/clip-text.ts";
export { fingerprint } from "./message/fingerprint.ts";
export { hashChain } from "./message/hash-chain.ts";
export { type Message, type Role, textOf } from "./message/message.ts";
export type { Part } from "./message/part.ts";
