/** A value that must not be written anywhere: printing, logging or serialising it shows a placeholder. */
export interface Secret {
  /** The value itself. The only way to get at it. */
  reveal(): string;
  toString(): string;
  toJSON(): string;
}

const placeholder = "[secret]";

export function createSecret(value: string): Secret {
  return Object.freeze({
    reveal: () => value,
    toString: () => placeholder,
    toJSON: () => placeholder,
    [Symbol.for("nodejs.util.inspect.custom")]: () => placeholder,
  });
}
