/** Words with which a server says that it refuses, and nothing of why. */
const empty = new Set(
  [
    "a an and be by can cannot could for in is it not of on or please processed the this to try again was were with your",
    "bad request requests invalid error errors failed failure malformed refused rejected occurred exception unexpected",
    "http https status code client server upstream provider backend gateway api response returned contains argument",
    "message type param null none true false unknown html body head title center hr",
  ].flatMap((line) => line.split(" ")),
);

/** Whether the words of a refusal tell nobody what was wrong: "Bad Request", an error code without meaning, or none. */
export function saysNothing(...words: readonly (string | undefined)[]): boolean {
  const text = words.join(" ").replaceAll(/([a-z])([A-Z])/g, "$1 $2");
  return text
    .toLowerCase()
    .split(/[^\p{L}]+/u)
    .every((word) => word === "" || empty.has(word));
}
