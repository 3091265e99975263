import { type Message, type Part, Role } from "@a2a-js/sdk";
import { ContentTypeNotSupportedError, RequestMalformedError } from "@a2a-js/sdk/errors";
import { type Fields, isFields } from "../engine/contract.ts";

type Content = NonNullable<Part["content"]>;

/** The input of a run for a message: text and files are a message to the model, data is merged into the input. */
export function inputOf(message: Message, takesMessages: boolean): Fields {
  const input: Fields = Object.assign({}, ...message.parts.flatMap(dataIn));
  const blocks = message.parts.flatMap(blockOf);
  if (blocks.length === 0) return input;
  if (!takesMessages) {
    throw blocks.every(({ type }) => type === "text")
      ? new RequestMalformedError(
          "Text parts need an assistant whose input schema has `messages`. Send the input as a data part.",
        )
      : new ContentTypeNotSupportedError("File parts need an assistant whose input schema has `messages`.");
  }
  const [first, ...others] = blocks;
  const content = first?.type === "text" && others.length === 0 ? first.text : blocks;
  const type = message.role === Role.ROLE_AGENT ? "ai" : "human";
  const before = input.messages === undefined ? [] : [input.messages].flat();
  return { ...input, messages: [...before, { type, id: message.messageId, content }] };
}

/**
 * What resumes an interrupted run: the `resume` of a data part, which answers several questions by a list of their ids
 * with values; or text; or other data.
 */
export function replyOf({ parts }: Message): unknown {
  const data: Fields = Object.assign({}, ...parts.flatMap(dataIn));
  if (Object.hasOwn(data, "resume")) return resumption(data.resume);
  const blocks = parts.flatMap(blockOf);
  if (blocks.length === 0) return data;
  if (Object.keys(data).length > 0 || blocks.some(({ type }) => type !== "text")) {
    throw new RequestMalformedError("A reply is text, or data, or a data part with `resume`.");
  }
  return blocks.map(({ text }) => text).join("\n");
}

function resumption(resume: unknown): unknown {
  const isReply = (item: unknown) => isFields(item) && typeof item.id === "string" && "value" in item;
  if (!Array.isArray(resume) || resume.length === 0 || !resume.every(isReply)) return resume;
  return Object.fromEntries(resume.map(({ id, value }) => [id, value]));
}

function dataIn({ content }: Part): Fields[] {
  if (content?.$case !== "data") return [];
  if (isFields(content.value)) return [content.value];
  throw new RequestMalformedError("The data of a data part must be an object.");
}

/** The block of a message's content for a part with text or a file. */
function blockOf({ content, mediaType, filename }: Part): Fields[] {
  if (content === undefined || content.$case === "data") return [];
  if (content.$case === "text") return [{ type: "text", text: content.value }];
  const [kind = ""] = mediaType.split("/");
  const source =
    content.$case === "raw"
      ? { source_type: "base64", data: content.value.toString("base64") }
      : { source_type: "url", url: content.value };
  return [
    {
      type: kind === "image" || kind === "audio" ? kind : "file",
      ...source,
      ...(mediaType === "" ? {} : { mime_type: mediaType }),
      ...(filename === "" ? {} : { metadata: { filename } }),
    },
  ];
}

/** Types of blocks that are files. */
const fileTypes: ReadonlySet<unknown> = new Set(["image", "audio", "video", "file"]);

/** The parts of a message's content: of blocks, those with text or a file. */
export function partsOf(content: unknown): Part[] {
  return [content].flat().flatMap((block) => {
    if (typeof block === "string") return block === "" ? [] : [textPart(block)];
    if (!isFields(block)) return [];
    const { type, text, data, url, mimeType, mime_type: mediaType = mimeType, metadata } = block;
    if (type === "text" && typeof text === "string") return [textPart(text)];
    if (!fileTypes.has(type)) return [];
    const filename = isFields(metadata) ? metadata.filename : undefined;
    const named = {
      mediaType: typeof mediaType === "string" ? mediaType : "",
      filename: typeof filename === "string" ? filename : "",
    };
    if (typeof data === "string") return [part({ $case: "raw", value: Buffer.from(data, "base64") }, named)];
    return typeof url === "string" ? [part({ $case: "url", value: url }, named)] : [];
  });
}

export function textPart(text: string): Part {
  return part({ $case: "text", value: text }, { mediaType: "text/plain" });
}

export function dataPart(value: unknown): Part {
  return part({ $case: "data", value }, { mediaType: "application/json" });
}

function part(content: Content, named: Partial<Pick<Part, "mediaType" | "filename">>): Part {
  return { content, metadata: undefined, mediaType: "", filename: "", ...named };
}

/** The parts of what a client sent to start a run. */
export function sentParts({ input, command }: Fields): Part[] {
  const { resume } = (command ?? {}) as Fields;
  if (resume !== undefined) return typeof resume === "string" ? [textPart(resume)] : [dataPart({ resume })];
  if (!isFields(input)) return typeof input === "string" ? [textPart(input)] : [];
  const { messages, ...data } = input;
  const said = (messages === undefined ? [] : [messages].flat()).flatMap((message) =>
    partsOf(isFields(message) ? message.content : message),
  );
  return Object.keys(data).length > 0 || said.length === 0 ? [...said, dataPart(data)] : said;
}
