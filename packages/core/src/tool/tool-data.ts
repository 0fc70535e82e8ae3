import { type DataPart, HalyardError } from '@halyard/contracts';
import { NotJsonError, toJson } from '../json/to-json.ts';

/** Data that a tool writes into the reply, in the form of the AI SDK. */
export interface ToolDataPart {
  /** `data-` and a name of the app: letters, digits, `_` and `-`. */
  readonly type: `data-${string}`;
  /** A part with the type and the id of an earlier one of the message replaces it. */
  readonly id?: string;
  /** JSON of at most 64 KiB. */
  readonly data: unknown;
  /** `true`: only for clients that read the stream. It is not stored. */
  readonly transient?: boolean;
}

/**
 * Writes data for the client into the reply, while the tool works. The model does not receive them.
 */
export interface ToolWriter {
  /**
   * Throws at once for a part that cannot be sent: another type, data that are not JSON, more than
   * 64 KiB, or more than 1 MiB in one call. After the end of the call, nothing is written.
   *
   * @returns a promise for when the part is sent; it waits while the client is behind.
   */
  readonly write: (part: ToolDataPart) => Promise<void>;
}

export interface AcceptedData {
  readonly part: DataPart;
  readonly isTransient: boolean;
  /** Of the JSON text, in characters. */
  readonly size: number;
}

const dataType = /^data-[A-Za-z0-9_-]{1,64}$/;
/** Sent by the framework itself. */
const reserved: ReadonlySet<string> = new Set(['data-agent-event', 'data-summary']);
const greatestIdLength = 128;
const greatestSize = 64 * 1024;

/** @throws an error of code `TOOL_FAILED`, which names the fault. */
export function acceptData(toolName: string, { data, id, transient, type }: ToolDataPart): AcceptedData {
  const refuse = (why: string, cause?: unknown): never => {
    throw new HalyardError('failed', 'TOOL_FAILED', `Tool "${toolName}" wrote ${why}`, { cause });
  };
  if (typeof type !== 'string' || !dataType.test(type))
    return refuse(`data of the type "${type}", which must be "data-" and a name of letters, digits, "_" and "-"`);
  if (reserved.has(type)) return refuse(`data of the type "${type}", which only the framework sends`);
  if (id !== undefined && (typeof id !== 'string' || id === '' || id.length > greatestIdLength))
    return refuse(`"${type}" with an id that is not a text of 1 to ${greatestIdLength} characters`);
  let json: unknown;
  try {
    json = toJson(data);
  } catch (error) {
    const what = error instanceof NotJsonError ? error.message : 'data';
    return refuse(`"${type}" with ${what}, which is not JSON`, error);
  }
  const size = JSON.stringify(json).length;
  if (size > greatestSize) return refuse(`"${type}" with ${size} characters of JSON. At most ${greatestSize} are sent`);
  const part: DataPart = { type, ...(id !== undefined && { id }), data: json };
  return { part, isTransient: transient === true, size };
}

/** The writer of a call that is no part of a reply. */
export function writerToNobody(toolName: string): ToolWriter {
  return {
    write: async (part) => {
      acceptData(toolName, part);
    },
  };
}

export function isDataPart<Part extends { readonly type: string }>(
  part: Part,
): part is Extract<Part, { readonly type: `data-${string}` }> {
  return part.type.startsWith('data-');
}
