import { InvalidInputError, type JsonValue } from '@halyard/contracts';
import type { ContentFormat } from './content-format.ts';
import { isJsonObject } from './merge-json.ts';

/** Working memory that is one text, in markdown. */
export function textFormat(template: string | null): ContentFormat {
  return {
    name: 'markdown',
    template,
    schema: null,
    toolInput: {
      type: 'object',
      properties: {
        content: { type: 'string', description: 'The notes, in markdown.' },
        mode: {
          type: 'string',
          enum: ['replace', 'append'],
          description: 'replace: this is all of the notes, also what stays as it is. append: this is added to them.',
        },
      },
      required: ['content', 'mode'],
      additionalProperties: false,
    },

    accept(content, at) {
      if (typeof content === 'string') return content;
      throw new InvalidInputError(`${at} must be string`);
    },

    present: asText,

    append(stored, added) {
      const text = asText(stored) ?? '';
      return text === '' ? added : `${text}\n\n${asText(added)}`;
    },

    validate: () => undefined,

    async updateFromTool(stored, input, at) {
      const { content, mode } = isJsonObject(input) ? input : {};
      const given = this.accept(content, at);
      const change = (before: JsonValue | undefined): JsonValue =>
        mode === 'append' ? this.append(before, given) : given;
      return { change, reply: { updated: change(stored) !== stored } };
    },
  };
}

function asText(content: JsonValue | undefined): string | null {
  if (content === undefined) return null;
  return typeof content === 'string' ? content : JSON.stringify(content, null, 2);
}
