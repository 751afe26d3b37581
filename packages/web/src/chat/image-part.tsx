import type { Part } from "../api/types.gen.ts";

type ImageContent = Omit<Extract<Part, { readonly type: "image" }>, "type">;

const shown = /^image\/(?:png|jpeg|gif|webp|avif)$/;

/** A picture that came with the message is shown; one that lives elsewhere is only opened by a click. */
export function ImagePart({ image }: { readonly image: ImageContent }) {
  const mediaType = image.mediaType ?? "image/png";
  if (image.data !== undefined && image.data !== "" && shown.test(mediaType)) {
    return (
      <img
        src={`data:${mediaType};base64,${image.data}`}
        alt="Attached"
        className="max-h-80 max-w-full rounded-lg border border-line"
      />
    );
  }
  if (image.url !== undefined && /^https?:\/\//.test(image.url)) {
    return (
      <a
        href={image.url}
        target="_blank"
        rel="noopener noreferrer nofollow"
        className="inline-flex rounded-lg border border-line px-2 py-1 text-sm text-accent underline"
      >
        Image · opens {new URL(image.url).host} in a new tab
      </a>
    );
  }
  return <p className="text-sm text-ink-soft">[image]</p>;
}
