/** Where decoders put the parts they read: any list that can hold them. Saves an array per field of a message. */
export interface PartSink<TPart> {
  push(part: TPart): unknown;
}
