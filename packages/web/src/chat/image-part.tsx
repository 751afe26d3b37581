import type { Part } from "../api/types.gen.ts";
import { RemoteImage } from "../markdown/remote-image.tsx";

type ImageContent = Omit<Extract<Part, { readonly type: "image" }>, "type">;

const shown = /^image\/(?:png|jpeg|gif|webp|avif)$/;

/** A picture that came with the message is shown; one that lives elsewhere is only loaded by a click. */
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
  return <RemoteImage src={image.url ?? ""} />;
}
