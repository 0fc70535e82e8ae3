import type { JsonObject } from '@halyard/contracts';
import { isJsonObject } from './json-object.ts';
import type { RecordedRequest } from './recorded-request.ts';
import { type ReplyScript, chunks, type FileScript, textChunks, toolCallArguments, toolCallId } from './script.ts';

/**
 * The parts of a candidate's content: thoughts, executed code, files, text, tool calls. In a
 * stream, each is one chunk.
 *
 * An answer with thoughts carries one signature, on its first tool call, or on its text if it has
 * no tool calls.
 */
export function googleParts(
  script: ReplyScript,
  { number }: RecordedRequest,
  form: 'chunks' | 'complete',
): readonly JsonObject[] {
  const { chunkSize, codeExecution, files = [], reasoning = [], reasoningFiles = [], toolCalls = [] } = script;
  const split = (text: string) => (form === 'chunks' ? chunks(text, chunkSize) : [text]);
  const texts = form === 'chunks' ? textChunks(script) : [textChunks(script).join('')].filter((text) => text !== '');
  const signature = reasoning.length > 0 ? { thoughtSignature: `signature ${number}` } : undefined;

  return [
    ...reasoning.flatMap((thought) => split(thought).map((text) => ({ text, thought: true }))),
    ...reasoningFiles.map((file) => ({ ...inlineFile(file), thought: true })),
    ...(codeExecution === undefined
      ? []
      : [
          { executableCode: { language: 'PYTHON', code: codeExecution.code } },
          { codeExecutionResult: { outcome: 'OUTCOME_OK', output: codeExecution.output } },
        ]),
    ...files.map(inlineFile),
    ...texts.map((text, index) => ({
      text,
      ...(toolCalls.length === 0 && index === texts.length - 1 && signature),
    })),
    ...toolCalls.map((call, index) => ({
      functionCall: {
        id: toolCallId(call, number, index),
        name: call.name,
        args: parsedArguments(toolCallArguments(call)),
      },
      ...(index === 0 && signature),
    })),
  ];
}

function inlineFile({ mediaType, base64 }: FileScript): JsonObject {
  return { inlineData: { mimeType: mediaType, data: base64 } };
}

/** Google has no arguments as text, so arguments that are not an object cannot be sent. */
function parsedArguments(text: string): JsonObject {
  const value: unknown = JSON.parse(text);
  if (!isJsonObject(value)) throw new TypeError(`Google sends arguments as an object, not ${text}`);
  return value;
}
